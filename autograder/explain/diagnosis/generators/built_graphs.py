"""Compares a graph that a student's function built with the required one where the computed numbers are right.

Both graphs are normalised first (`checks.graphs.canonical`), so numbering and operand order do not matter. To tell what a
graph computes, it is evaluated at random numbers modulo a prime: sums and products are computed, every other operation is a
random function, and constants, which a graph does not store, are unknowns.
"""

import hashlib
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from autograder.explain.diagnosis.evidence import Evidence, MistakeClaim, Pair, claims_by_key
from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.graphs import COMMUTATIVE, Graph, GraphError, Node, bottom_up, canonical, read, same

PRIME = (1 << 61) - 1
MAX_NODES = 400
RING = {"Add": lambda a, b: a + b, "Mul": lambda a, b: a * b, "Sub": lambda a, b: a - b}
UNARY = {"Neg": lambda a: -a}
CONSTANT = -7


def claims(evidence: Evidence) -> list[MistakeClaim]:
    return claims_by_key(
        ((key, check) for check, pairs in evidence.pairs.items() for key in _keys(evidence, pairs)), "edited-answers"
    )


def _keys(evidence: Evidence, pairs: Sequence[Pair]) -> list[str]:
    wrong = [pair for pair in pairs if _asks_graph(pair) and not _holds(same, pair)]
    if not evidence.every_seed(wrong) or not all(pair.agrees for pair in pairs if not _asks_graph(pair)):
        return []
    keys = [key for key, claim in CLAIMS.items() if all(_holds(claim, pair) for pair in wrong)]
    unnamed = all(map(_same_value, wrong)) and all(_graphs(pair) for pair in wrong)
    return keys or (["another-formula"] if unnamed else [])


def _asks_graph(pair: Pair) -> bool:
    return pair.given.question == ("op", "graph.export")


def _same_value(pair: Pair) -> bool:
    values = [leaf for leaf in pair.leaves if leaf.path[:1] == ("value",)]
    return bool(values) and all(leaf.agrees for leaf in values)


def _graphs(pair: Pair) -> tuple[Graph, Graph] | None:
    """The expected and the given graph."""
    if pair.given.raised is not None or pair.right.raised is not None:
        return None
    try:
        right, given = (canonical(read(exchange.value["graph"])) for exchange in (pair.right, pair.given))
    except (CheckFailed, TypeError, KeyError):
        return None
    return None if max(len(right.nodes), len(given.nodes)) > MAX_NODES else (right, given)


def _holds(claim: Callable[[Graph, Graph], bool], pair: Pair) -> bool:
    graphs = _graphs(pair)
    try:
        return graphs is not None and claim(*graphs)
    except GraphError:
        return False


def values(graph: Graph, seed: int, *, ordered: bool = False) -> list[int]:
    """The value of each node modulo a prime, equal for nodes that compute the same. With `ordered`, sums and products are
    treated like other operations, so values are equal only for equal formulas up to operand order."""
    result = [0] * len(graph.nodes)
    for n in bottom_up(graph):
        node = graph.nodes[n]
        below = [_random(seed, "constant") if t is None else (result[t] + CONSTANT * out) % PRIME for t, out in node.slots]
        if not ordered and node.name in RING and len(below) == 2:
            result[n] = RING[node.name](*below) % PRIME
        elif not ordered and node.name in UNARY and len(below) == 1:
            result[n] = UNARY[node.name](*below) % PRIME
        else:
            result[n] = _random(seed, node.name, node.leaf, *(sorted(below) if node.name in COMMUTATIVE else below))
    return result


def _random(*what: object) -> int:
    return int.from_bytes(hashlib.blake2b(repr(what).encode(), digest_size=7).digest())


def canonical_export(answer: dict[str, Any], *_: Any) -> dict[str, Any]:
    """The answer of `graph.export` without views and with the operands of sums and products in a fixed order, for exercises
    that accept all of these as the same graph."""
    graph = canonical(read(answer["graph"]))
    below = values(graph, 3, ordered=True) if len(graph.nodes) <= MAX_NODES else []
    nodes = []
    for node in graph.nodes:
        slots = list(node.slots)
        if node.name in COMMUTATIVE and below:
            slots.sort(key=lambda slot: (slot[0] is None, 0 if slot[0] is None else below[slot[0]], slot[1]))
        nodes.append(Node(node.name, node.leaf, tuple(slots)))
    graph = canonical(Graph(graph.root, tuple(nodes)))
    listed = [[n.name, n.leaf, [list(slot) for slot in n.slots]] for n in graph.nodes]
    return {**answer, "graph": {"root": graph.root, "nodes": listed}}


def _computed_again(right: Graph, given: Graph) -> bool:
    """Same formula, but a shared node is computed several times."""
    return len(given.nodes) > len(right.nodes) and _outcome(right, ordered=True) == _outcome(given, ordered=True)


def _regrouped(right: Graph, given: Graph) -> bool:
    """Same value from different sums and products."""
    return _outcome(right) == _outcome(given) and _outcome(right, ordered=True) != _outcome(given, ordered=True)


def _powers(right: Graph, given: Graph) -> bool:
    """Products of a value with itself are powers."""
    squares = sum(node.name == "Pow" for node in given.nodes)
    if not squares or any(node.name == "Pow" for node in right.nodes):
        return False
    return any(same(right, _with_products(given, which)) for which in product((1, 2), repeat=min(squares, 3)))


def _with_products(graph: Graph, operands: tuple[int, ...]) -> Graph:
    """Rewrites the first powers as products of a value with itself, or of its square with it."""
    nodes, powers = list(graph.nodes), iter(operands)
    for n, node in enumerate(graph.nodes):
        times = next(powers, None) if node.name == "Pow" and node.slots else None
        if times is None:
            continue
        slot = node.slots[0]
        nodes[n] = Node("Mul", None, (slot, slot))
        if times == 2:
            nodes[n] = Node("Mul", None, ((len(nodes), 0), slot))
            nodes.append(Node("Mul", None, (slot, slot)))
    return canonical(Graph(graph.root, tuple(nodes)))


def _outcome(graph: Graph, *, ordered: bool = False) -> list[int]:
    return [-1] if graph.root is None else [values(graph, seed, ordered=ordered)[graph.root] for seed in (1, 2)]


CLAIMS: dict[str, Callable[[Graph, Graph], bool]] = {
    "lost-sharing": _computed_again,
    "pow-for-product": _powers,
    "reassociated": _regrouped,
}
