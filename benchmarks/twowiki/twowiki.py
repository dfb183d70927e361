"""2WikiMultihopQA: questions over two or four pages of Wikipedia, made from Wikidata triples.

Ho et al. 2020, "Constructing A Multi-hop QA Dataset for Comprehensive Evaluation of Reasoning Steps", arXiv 2011.01060.

    inspect eval bridgebench/twowiki -T source=sample --model local/smollm2
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from bridgebench.benchmarks._build import Benchmark, build
from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks._files import DataFile, read_lines
from bridgebench.benchmarks._loading import check_choice, parse_loading
from bridgebench.benchmarks._samples import make_sample
from bridgebench.benchmarks._sources import Hub, file_provenance
from bridgebench.benchmarks._wiki_paragraphs import DOCUMENTS, Documents, read_paragraphs
from bridgebench.errors import BridgebenchError, RecordError
from bridgebench.scorers.qa_f1 import qa_f1

TWOWIKI = Benchmark(
    name="twowiki",
    version=1,
    hub=Hub("framolfese/2WikiMultihopQA", revision="fe713bfbd1afbca1a65246741a75890405d56a3a"),
    split="validation",
    max_tokens=32,
    headline="qa_f1.f1",
)

TYPES = ("comparison", "inference", "compositional", "bridge_comparison")


@task
def twowiki(documents: Documents = "all", aliases: str | None = None, **loading: Any) -> Task:
    """2WikiMultihopQA, scored with its single gold answer.

    Args:
        documents: All paragraphs of the record, or its ``gold`` ones alone (a control: no bridge may see labels).
        aliases: Path of the authors' ``id_aliases.json``: adds columns where aliases count too (their script v1.1).
        **loading: See `bridgebench.benchmarks._loading.Loading`.
    """
    check_choice("twowiki", "documents", documents, DOCUMENTS)
    settings = parse_loading("twowiki", loading)
    convert = partial(record_to_sample, documents=documents, aliases=read_aliases(aliases) if aliases else None)
    scorer = qa_f1(metric="twowiki", beside="aliases" if aliases else None)
    alias_file = file_provenance(aliases) if aliases else None
    return build(TWOWIKI, convert, settings, scorer, documents=documents, aliases=aliases, alias_file=alias_file)


def record_to_sample(
    record: Record, documents: Documents = "all", aliases: Mapping[str, list[str]] | None = None
) -> Sample:
    """Raw release (``_id``, pairs), the hub's columns (``id``, objects of lists), or those as JSON strings.

    Upstream's sentences carry no space, so they are joined with one.
    """
    paragraphs = read_paragraphs(record, " ", documents)
    question_type = record.choice("type", TYPES)
    sample = make_sample(
        record.identifier("_id", "id"),
        record.text("question"),
        record.text("answer"),
        paragraphs.documents,
        paragraphs.gold,
        question_type=question_type,
        hops=4 if question_type == "bridge_comparison" else 2,
        counts=dict(paragraphs.counts),
    )
    if aliases is None:
        return sample
    if "answer_id" not in record.values:
        raise record.error("answer_id", "is missing: aliases go by it, and only the 'data_ids' releases have it")
    answer_id = record.text("answer_id") if record.has("answer_id") else ""
    return sample.model_copy(update={"metadata": {**(sample.metadata or {}), "aliases": aliases.get(answer_id, [])}})


def read_aliases(path: str) -> dict[str, list[str]]:
    """Aliases and demonyms of each Wikidata id; the authors' file has one object a line, whatever its name.

    Raises:
        BridgebenchError: When the file is missing or one of its lines is bad.
    """
    file = Path(path).expanduser()
    if not file.is_file():
        raise BridgebenchError(f"aliases '{path}': there is no such file")
    aliases: dict[str, list[str]] = {}
    for item in read_lines(DataFile(path, file)):
        if isinstance(item, RecordError):
            raise item
        aliases[item.text("Q_id")] = [*item.texts("aliases"), *item.texts("demonyms")]
    return aliases
