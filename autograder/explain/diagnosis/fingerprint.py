"""Computes fingerprints of trials, which compare structure exactly and numbers to 1e-7.

A fingerprint is small, because large arrays are replaced by their products with fixed random signs, so thousands can be
stored in a file and looked up quickly. Computing one takes time linear in the size of the answer. Graphs are renumbered from
their root first, because node numbers are arbitrary.
"""

import hashlib
import math
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import msgspec
import numpy as np

from autograder.explain.recorder import Exchange
from autograder.judge.arrays import Numbers, to_numpy
from sandbox.guest.operations.engine import Outcome
from sandbox.wire import Array, Opaque

RTOL, ATOL = 1e-7, 1e-12
KEPT = 64
PROJECTIONS = 40
COLUMNS = 1024  # longer arrays are folded to this length first
TOGETHER = 200
_ADDRESS = re.compile(r"0x[0-9a-f]+")


class Fingerprint(msgspec.Struct, frozen=True, array_like=True):
    """`shape` is a digest of everything that is not a number; `numbers` are the leaves, each at most 64 entries long."""

    shape: bytes
    numbers: tuple[tuple[float, ...], ...]


def fingerprint_of(exchanges: Iterable[Exchange], *, raised: bool) -> Fingerprint:
    """The fingerprint of the exchanges of a check that an exception of the student's code ended, if `raised`."""
    tokens: list[str] = []
    leaves: list[Numbers] = []
    for exchange in exchanges:
        tokens.append(f"{exchange.what} {exchange.name}")
        _walk(reply(exchange), tokens, leaves)
    if raised:
        tokens.append("raised")
    if sum(leaf.size for leaf in leaves) > TOGETHER:  # many programs in one answer become one long row
        leaves = [np.arcsinh(np.concatenate(leaves))]  # keeps the large gradients of one program from hiding all others
    for leaf in leaves:
        odd = np.flatnonzero(~np.isfinite(leaf))
        if odd.size:
            tokens.append(_digest(odd.tobytes() + np.nan_to_num(leaf[odd]).tobytes()).hex())
    shape = _digest("\0".join(tokens).encode("utf-8", "replace"))
    return Fingerprint(shape, tuple(tuple(_short(np.where(np.isfinite(leaf), leaf, 0.0))) for leaf in leaves))


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def same(one: Fingerprint, other: Fingerprint) -> bool:
    if one.shape != other.shape or len(one.numbers) != len(other.numbers):
        return False
    return all(len(a) == len(b) and _near(a, b) for a, b in zip(one.numbers, other.numbers, strict=True))


def _near(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Like `close`, but for a few finite numbers: one submission is compared with thousands of fingerprints."""
    return one == other or math.dist(one, other) <= RTOL * math.hypot(*other) + ATOL


def close(one: Numbers, other: Numbers) -> bool:
    """Whether numbers are equal to 1e-7 of their norm, with nan in the same places."""
    if one.shape != other.shape:
        return False
    good = np.isfinite(one)
    if not np.array_equal(good, np.isfinite(other)):
        return False
    if not good.all() and not np.array_equal(one[~good], other[~good], equal_nan=True):
        return False
    with np.errstate(over="ignore"):
        error = np.linalg.norm((one[good] - other[good]).ravel())
        return bool(error <= RTOL * np.linalg.norm(other[good].ravel()) + ATOL)


def equal(one: Numbers, other: Numbers) -> bool:
    """Whether arrays of any numeric type have the same shape and numbers."""
    return one.shape == other.shape and close(np.asarray(one, float).reshape(-1), np.asarray(other, float).reshape(-1))


def same_reply(one: Exchange, other: Exchange) -> bool:
    """Whether two exchanges have the same question and equal replies."""
    left: tuple[list[str], list[Numbers]] = ([], [])
    right: tuple[list[str], list[Numbers]] = ([], [])
    _walk(reply(one), *left)
    _walk(reply(other), *right)
    return left[0] == right[0] and all(close(a, b) for a, b in zip(left[1], right[1], strict=True))


def reply(exchange: Exchange) -> Any:
    """A reply as plain data, with packed programs decoded and graphs renumbered."""
    if exchange.raised is not None:
        return ("raised", exchange.raised.type_name, _ADDRESS.sub("0x", exchange.raised.message))
    value = exchange.value
    if exchange.question == ("op", "engine.run"):
        value = outcomes(value)
    return (plain(value), plain(exchange.inputs))


def outcomes(value: Any) -> list[Any]:
    """The answer of `engine.run`, or None if it cannot be decoded."""
    try:
        found = msgspec.msgpack.decode(value, type=list[Outcome])
    except (msgspec.DecodeError, TypeError, RecursionError):
        return []
    return [[o.data, o.grad, o.readings, sorted(o.strange.items())] for o in found]


def plain(value: Any) -> Any:
    return renumbered(value) if isinstance(value, dict) and sorted(value) == ["edges", "nodes", "root"] else value


def renumbered(graph: dict[str, Any]) -> Any:
    """A graph with nodes numbered in the order in which they are reached from the root. A malformed graph is unchanged."""
    try:
        below: dict[int, list[tuple[int, Any, Any]]] = {}
        for source, slot, target, output in graph["edges"]:
            below.setdefault(source, []).append((slot, target, output))
        for edges in below.values():
            edges.sort(key=lambda edge: edge[0])
        order: dict[int, int] = {}
        waiting = [] if graph["root"] is None else [graph["root"]]
        while waiting:
            node = waiting.pop()
            if node not in order:
                order[node] = len(order)
                waiting.extend(target for _, target, _ in reversed(below.get(node, [])) if target is not None)
        if len(order) != len(graph["nodes"]):
            return graph
        nodes = [graph["nodes"][node] for node in order]
        listed = [(order[node], s, None if t is None else order[t], o) for node in order for s, t, o in below.get(node, [])]
    except (TypeError, ValueError, KeyError, IndexError):
        return graph
    return {"root": None if graph["root"] is None else 0, "nodes": nodes, "edges": listed}


def _walk(value: Any, tokens: list[str], leaves: list[Numbers]) -> None:
    if isinstance(value, Array):
        tokens.append(f"{value.kind} {value.dtype}{value.shape} {value.graph}")
        leaves.append(_real(to_numpy(value)))
    elif type(value) is float:
        tokens.append("float")
        leaves.append(np.array([value]))
    elif isinstance(value, list | tuple):
        tokens.append(f"{type(value).__name__} {len(value)}")
        if value and all(type(item) is float for item in value):
            leaves.append(np.array(value))
            return
        for item in value:
            _walk(item, tokens, leaves)
    elif isinstance(value, dict):
        tokens.append(f"dict {len(value)}")
        for key, item in value.items():
            tokens.append(str(key))
            _walk(item, tokens, leaves)
    else:
        tokens.append(value.type_name if isinstance(value, Opaque) else _ADDRESS.sub("0x", repr(value)))


def _real(values: Numbers) -> Numbers:
    flat = np.ascontiguousarray(values).reshape(-1)
    return flat.view(flat.real.dtype).astype(np.float64) if flat.dtype.kind == "c" else flat.astype(np.float64)


def _short(leaf: Numbers) -> Iterator[float]:
    if leaf.size <= KEPT:
        yield from (float(x) for x in leaf)
        return
    with np.errstate(all="ignore"):
        yield from (float(x) for x in np.nan_to_num(_signs()[:, : min(leaf.size, COLUMNS)] @ _folded(leaf)))
    yield from (float(x) for x in leaf[: KEPT - PROJECTIONS])


def _folded(leaf: Numbers) -> Numbers:
    """Adds the rows of a long array with random signs, so that at most COLUMNS numbers remain."""
    if leaf.size <= COLUMNS:
        return leaf
    rows = np.zeros((-(-leaf.size // COLUMNS), COLUMNS))
    rows.reshape(-1)[: leaf.size] = leaf
    return np.asarray(np.random.default_rng(len(rows)).choice(np.array([-1.0, 1.0]), size=len(rows)) @ rows)


@cache
def _signs() -> Numbers:
    return np.random.default_rng(COLUMNS).choice(np.array([-1.0, 1.0]), size=(PROJECTIONS, COLUMNS))
