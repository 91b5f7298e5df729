"""An array on one line, with brackets for each axis as Python prints them."""

import math
from collections.abc import Iterator, Sequence

MORE = "…"


def nested(texts: Sequence[str], shape: Sequence[int], limit: int) -> str:
    """[[1, 2], [3, 4]] for the entries of a 2x2 array. Of a larger array than `limit` only the first entries are shown, and its
    shape. `texts` may be the first entries only.
    """
    if not shape:
        return texts[0] if texts else MORE
    size = math.prod(shape)
    if not size:
        return f"[] of shape {_tuple(shape)}" if len(shape) > 1 else "[]"
    shown = min(limit, len(texts))
    text = _part(iter(texts[:shown]), shape)
    return f"{text} of shape {_tuple(shape)}" if size > shown and len(shape) > 1 else text


def _part(texts: Iterator[str], shape: Sequence[int]) -> str:
    """The next entries, in brackets. Where they end before the array does, an ellipsis stands for the rest."""
    parts: list[str] = []
    for _ in range(shape[0]):
        part = _part(texts, shape[1:]) if len(shape) > 1 else next(texts, MORE)
        if part.strip("[]") == MORE:
            parts.append(MORE)
            break
        parts.append(part)
        if part.rstrip("]").endswith(MORE):
            break
    return f"[{', '.join(parts)}]"


def _tuple(shape: Sequence[int]) -> str:
    return str(tuple(shape))
