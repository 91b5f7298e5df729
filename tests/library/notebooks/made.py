"""Notebooks for tests, built cell by cell."""

import json
from typing import Any

Made = dict[str, Any]


def code(source: str | list[str], gradus: object = None, **fields: Any) -> Made:
    """A code cell, as Jupyter saves it."""
    metadata = fields.pop("metadata", {}) | ({"gradus": gradus} if gradus is not None else {})
    cell = {"cell_type": "code", "execution_count": 1, "metadata": metadata, "outputs": [], "source": source}
    return cell | fields


def markdown(text: str, **metadata: Any) -> Made:
    return {"cell_type": "markdown", "metadata": metadata, "source": text}


def raw(text: str) -> Made:
    return {"cell_type": "raw", "metadata": {}, "source": text}


def notebook(*cells: Made, **fields: Any) -> bytes:
    document = {
        "cells": list(cells),
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document | fields).encode()


def mark(part: int, file: str = "norm.py") -> dict[str, object]:
    return {"file": file, "part": part}
