"""LongBench's contexts: passages at their headers, and the mirrors whose contexts hold more than that."""

import re

from bridgebench.benchmarks._fields import Record
from bridgebench.document import Document

_HEADER = re.compile(r"^(?:Passage (\d{1,9}):|文章(\d{1,9})) *\n", re.MULTILINE)
_CHINESE_TITLE = "标题："
_TRIVIAQA = re.compile(r"\s*Passage:\s*\n(?P<passage>.*)\nQuestion:\s*\n(?P<question>.*?)\s*\nAnswer:\s*", re.DOTALL)
_MIRROR_COLUMNS = ("question", "answer_prefix", "max_new_tokens")
_INSTRUCTIONS = (
    "Answer the question based on the given passage",
    "You are given a story",
    "You are given a scientific article",
    "Read the following text and answer briefly",
    "阅读以下文字并用中文简短回答",
    "请基于给定的文章回答",
)


def refuse_baked_prompt(record: Record) -> None:
    """Raise for a mirror with LongBench's instruction inside ``context``: templating it again doubles the prompt."""
    advice = "use data.zip of zai-org/LongBench"
    if columns := [column for column in _MIRROR_COLUMNS if column in record.values]:
        problem = f"is a column of a mirror whose contexts hold the instruction already; {advice}"
        raise record.error(columns[0], problem)
    if record.text("context").lstrip().startswith(_INSTRUCTIONS):
        raise record.error("context", f"holds LongBench's instruction already, as in a mirror; {advice}")


def split_context(context: str) -> list[Document]:
    """Passages of a context, with their position as id; a context without passages is one document.

    A passage begins at a line "Passage 1:" (or 文章1), 2, 3 and so on: a line in a text that merely looks like one does
    not carry the next number. Its first line is its title.
    """
    starts: list[re.Match[str]] = []
    for header in _HEADER.finditer(context):
        if int(header.group(1) or header.group(2)) == len(starts) + 1:
            starts.append(header)
    if not starts or context[: starts[0].start()].strip():
        return [Document("0", "", context)]
    ends = [header.start() for header in starts[1:]] + [len(context)]
    bodies = [context[header.end() : end] for header, end in zip(starts, ends, strict=True)]
    return [_passage(str(index), body) for index, body in enumerate(bodies)]


def split_triviaqa(record: Record) -> tuple[str, list[Document]]:
    """Question and passage, which TriviaQA rows hold in ``input``; their ``context`` is examples and is not used."""
    match = _TRIVIAQA.fullmatch(record.text("input"))
    if match is None or not match["question"].strip() or not match["passage"].strip():
        raise record.error("input", "must be 'Passage:', a text, 'Question:', a question, 'Answer:', each on its line")
    return match["question"].strip(), [Document("0", "", match["passage"].strip())]


def _passage(id: str, body: str) -> Document:
    title, newline, text = body.strip("\n").partition("\n")
    if not newline:
        return Document(id, "", title.strip())
    return Document(id, title.removeprefix(_CHINESE_TITLE).strip(), text.strip())
