"""A folder of Markdown files as papers: a file a paper, in the shape of Qasper's records."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks._files import Item
from bridgebench.benchmarks._sources import Source, file_provenance
from bridgebench.errors import RecordError

SUFFIXES = (".md", ".markdown")
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.*?)[ \t]*#*$")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")


def markdown_files(source: str) -> list[Path]:
    """The Markdown files at a path, in order; none when it is something else."""
    path = Path(source).expanduser()
    if path.is_file():
        return [path] if path.suffix.lower() in SUFFIXES else []
    return sorted(file for file in path.rglob("*") if file.is_file() and file.suffix.lower() in SUFFIXES)


def open_markdown(source: str) -> Source:
    """Papers of a folder (or of one file); a paper's id is its file's path in the folder, without suffix."""
    files, root = markdown_files(source), Path(source).expanduser()
    root = root if root.is_dir() else root.parent
    listed = [file_provenance(file) | {"name": str(file.relative_to(root))} for file in files]
    return Source(_papers(files, root), {"kind": "markdown", "files": listed})


def _papers(files: list[Path], root: Path) -> Iterator[Item]:
    for file in files:
        try:
            text = file.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            yield RecordError(str(file), "file", "(text)", f"is not UTF-8 at byte {error.start}")
            continue
        yield Record(parse_markdown(text, file.relative_to(root).with_suffix("").as_posix()), str(file), "file")


def parse_markdown(text: str, id: str) -> dict[str, Any]:
    """A paper out of Markdown: the first heading of level 1 is the title, the others begin sections.

    A section called "Abstract" is the abstract, and so is text before the first section. A heading below another is
    named with it, as Qasper does (``Experiments ::: Data``). Without a title, the id stands for it.
    """
    title, preamble = "", list[str]()
    sections: list[tuple[str, list[str]]] = []
    above: list[tuple[int, str]] = []
    fenced = False
    for line in text.splitlines():
        fenced ^= _FENCE.match(line) is not None
        heading = None if fenced else _HEADING.match(line)
        if heading and len(heading[1]) == 1 and not title and not sections:
            title = heading[2]
        elif heading:
            level = len(heading[1])
            above = [(depth, name) for depth, name in above if depth < level] + [(level, heading[2])]
            sections.append((" ::: ".join(name for _, name in above), []))
        else:
            (sections[-1][1] if sections else preamble).append(line)
    told = [(name, "\n".join(lines).strip()) for name, lines in sections]
    abstracts = ["\n".join(preamble).strip(), *(body for name, body in told if name.strip().lower() == "abstract")]
    return {
        "id": id,
        "title": title or id,
        "abstract": "\n\n".join(filter(None, abstracts)),
        "full_text": [
            {"section_name": name, "paragraphs": [part.strip() for part in body.split("\n\n") if part.strip()]}
            for name, body in told
            if name.strip().lower() != "abstract"
        ],
    }
