"""Reads and writes notebook files (.ipynb, nbformat 4).

A notebook comes from somebody's computer, so everything is checked: size, encoding, depth, number of cells, and types. Only the
fields that are used are decoded; outputs are skipped unless they are asked for.
"""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from autograder.judge.files import FilesError

SUFFIX = ".ipynb"
MAX_BYTES = 3 << 20  # with outputs, such as plots; the code in it has the limit of a submission
MAX_CELLS = 2_000
FORMAT, MINOR = 4, 5
PYTHON = ("python", "ipython")
CellType = Literal["code", "markdown", "raw"]


class Language(msgspec.Struct):
    """The language of a notebook, as its kernel (`language`) or its editor (`name`) calls it."""

    name: str = ""
    language: str = ""


class NotebookMetadata(msgspec.Struct, omit_defaults=True):
    kernelspec: Language = msgspec.field(default_factory=Language)
    language_info: Language = msgspec.field(default_factory=Language)
    gradus: Any = None


class CellMetadata(msgspec.Struct, omit_defaults=True):
    gradus: Any = None
    nbgrader: Any = None


class Output(msgspec.Struct):
    """What a cell printed (`text`), or the value of its last line (`data`)."""

    output_type: str
    text: str | list[str] = ""
    data: dict[str, Any] = {}


class Cell(msgspec.Struct):
    cell_type: CellType
    source: str | list[str] = ""
    metadata: CellMetadata = msgspec.field(default_factory=CellMetadata)
    attachments: dict[str, msgspec.Raw] = {}
    outputs: msgspec.Raw = msgspec.Raw(b"[]")

    @property
    def text(self) -> str:
        """The source with plain line ends and without trailing blank lines."""
        return _joined(self.source).replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")


class Notebook(msgspec.Struct):
    nbformat: int
    cells: list[Cell]
    metadata: NotebookMetadata = msgspec.field(default_factory=NotebookMetadata)


class _Header(msgspec.Struct):
    """What is read first: a notebook of another format has its cells elsewhere."""

    nbformat: int
    metadata: NotebookMetadata = msgspec.field(default_factory=NotebookMetadata)


def read(data: bytes, name: str) -> Notebook:
    """The notebook in a file called `name`. Raises FilesError with a sentence."""
    if len(data) > MAX_BYTES:
        raise FilesError(
            f"{name} is larger than {MAX_BYTES:,} bytes, the maximum size of a notebook. Clear its outputs and send it again."
        )
    try:
        header = msgspec.json.decode(data, type=_Header)
        _check_header(header, name)
        notebook = msgspec.json.decode(data, type=Notebook)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FilesError(
            f"{name} is not a valid notebook{_place(error)}. Save it again in Jupyter and send that file."
        ) from error
    if len(notebook.cells) > MAX_CELLS:
        raise FilesError(f"{name} has {len(notebook.cells):,} cells; the limit is {MAX_CELLS:,} cells.")
    return notebook


def outputs_of(cell: Cell) -> list[Output]:
    """The outputs of a cell; empty if they cannot be read."""
    try:
        return msgspec.json.decode(cell.outputs, type=list[Output])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []


def output_text(output: Output) -> str:
    """What an output shows as plain text."""
    plain = output.data.get("text/plain", "")
    if isinstance(plain, list):
        plain = "".join(part for part in plain if isinstance(part, str))
    return (plain if isinstance(plain, str) and plain else _joined(output.text)).rstrip("\n")


def markdown_cell(name: str, text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": _lines(text)}


def code_cell(name: str, text: str, gradus: dict[str, Any]) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": name,
        "metadata": {"gradus": gradus},
        "outputs": [],
        "source": _lines(text),
    }


def write(cells: Sequence[dict[str, Any]], gradus: dict[str, Any]) -> bytes:
    """A notebook for a Python kernel, as Jupyter would save it."""
    document = {
        "cells": list(cells),
        "metadata": {
            "gradus": gradus,
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": FORMAT,
        "nbformat_minor": MINOR,
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"


def _check_header(header: _Header, name: str) -> None:
    if header.nbformat != FORMAT:
        raise FilesError(
            f"{name} has notebook format {header.nbformat}, but only format {FORMAT} can be read. "
            "Open it in a current version of Jupyter, save it, and send it again."
        )
    metadata = header.metadata
    language = metadata.language_info.name or metadata.kernelspec.language
    if language and language.lower() not in PYTHON:
        raise FilesError(f"The kernel of {name} runs {language[:40]}, but submissions are written in Python.")


def _place(error: Exception) -> str:
    """Where a value has the wrong type, as in ` (Expected str, got int - at $.cells[0].source)`."""
    return f" ({str(error)[:200]})" if isinstance(error, msgspec.ValidationError) else ""


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
