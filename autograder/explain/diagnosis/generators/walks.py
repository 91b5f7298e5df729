"""Explains wrong orders of functions and wrong path counts by incorrect traversals of a backward graph.

The author declares which of the judge's graphs a question is about (`graph_of`). Many orders are right, so a claim about an
order is a property of every answer of the check, including right ones. A count is unique and can be predicted. No student
code runs.
"""

from collections import deque
from collections.abc import Callable, Sequence
from copy import copy
from functools import cache, cached_property, partial
from itertools import pairwise
from typing import Any

import torch  # noqa: F401  an author's `build` needs it; it takes a second to load, which is better over early

from autograder.explain.diagnosis.evidence import Evidence, MistakeClaim, Pair, claims_by_key
from autograder.explain.diagnosis.generators import orders
from autograder.judge.checks.graphs import bottom_up
from autograder.judge.diagnosis import Asked, Declared, GraphQuestion

MAX_NODES = 4000
MAX_CACHED = 400
UNLISTED = 1 << 62  # the position of a node that an order does not list

_graphs: "dict[tuple[GraphQuestion, str], AskedGraph]" = {}


class AskedGraph:
    """A graph that a question is about. It is cached, because the seeds of a dictionary always give the same questions."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self.graph = asked, asked.graph
        self.operands = [self.graph.targets(n) for n in range(len(self.graph.nodes))]
        self.number_of = {node.leaf: n for n, node in enumerate(self.graph.nodes) if node.leaf is not None}

    @cached_property
    def upward(self) -> list[int]:
        return bottom_up(self.graph)


class Walk:
    """One question about a graph, with the given answer: node numbers in order, or a count for each leaf."""

    def __init__(self, asked: AskedGraph, given: list[int], right: list[int], seed: int, differs: bool) -> None:
        self.asked, self.graph, self.targets = asked.asked, asked.graph, asked.operands
        self.about, self.given, self.right, self.seed, self.differs = asked, given, right, seed, differs

    @property
    def complete(self) -> bool:
        return sorted(self.given) == list(range(len(self.targets)))

    def forward(self, order: Sequence[int]) -> bool:
        """Whether no edge between listed nodes points backward."""
        place = {n: at for at, n in enumerate(order)}
        return len(place) == len(order) and all(
            place[n] < place.get(t, UNLISTED) for n in order if 0 <= n < len(self.targets) for t in self.targets[n]
        )

    @property
    def wrong(self) -> bool:
        """Whether the answer is wrong; an order that differs from the reference's may be right."""
        return self.differs if self.asked.leaves is not None else not (self.complete and self.forward(self.given))


Hypothesis = Callable[[Walk], bool]


def claims(evidence: Evidence) -> list[MistakeClaim]:
    found: list[tuple[str, str]] = []
    read = {check: [_walk(pair, evidence.declared) for pair in pairs] for check, pairs in evidence.pairs.items()}
    counts = [walk for own in read.values() for walk in own if walk is not None and walk.asked.leaves is not None]
    refuted = cache(lambda hypothesis: any(_contradicts(hypothesis, walk) for walk in counts))
    for check, walks in read.items():
        known = [walk for walk in walks if walk is not None]
        wrong = [walk for walk in known if walk.wrong]
        if len(known) < len(walks) or {walk.seed for walk in wrong} != set(evidence.seeds):
            continue
        counted = wrong[0].asked.leaves is not None
        for key, hypotheses in (COUNTS if counted else ORDERS).items():
            holding = (h for h in hypotheses if all(map(h, wrong)) and all(map(h, known)))
            if any(not counted or not refuted(hypothesis) for hypothesis in holding):
                found.append((key, check))
    return claims_by_key(found, "edited-answers")


def _contradicts(count: Hypothesis, walk: Walk) -> bool:
    """Whether this way of counting gives a wrong number here that differs from the given one."""
    rightly = copy(walk)
    rightly.given = walk.right
    return not count(walk) and not count(rightly)


def _walk(pair: Pair, declared: Declared) -> Walk | None:
    question = declared.graphs.get(pair.given.question[1])
    if question is None or pair.given.raised is not None or pair.right.raised is not None:
        return None
    try:
        given, right = pair.given.value, pair.right.value
        for step in question.answer:
            given, right = given[step], right[step]
        if not isinstance(given, list | tuple) or any(type(n) is not int for n in given):
            return None
        asked = _asked(question, pair.given.args)
    except (LookupError, TypeError, ValueError, RuntimeError):
        return None
    return Walk(asked, list(given), list(right), pair.seed, not pair.agrees) if len(asked.operands) <= MAX_NODES else None


def _asked(question: GraphQuestion, args: tuple[Any, ...]) -> AskedGraph:
    key = question, repr(args)
    if key not in _graphs:
        if len(_graphs) >= MAX_CACHED:
            _graphs.clear()
        _graphs[key] = AskedGraph(question.build(*args))
    return _graphs[key]


# -- orders ------------------------------------------------------------------------------------------------------------


def _backward(walk: Walk) -> bool:
    return walk.complete and walk.forward(walk.given[::-1])


def _without_leaves(walk: Walk) -> bool:
    inner = [n for n, targets in enumerate(walk.targets) if targets]
    return sorted(walk.given) == inner and walk.forward(walk.given)


def _leaves_early(walk: Walk) -> bool:
    """Leaves come too early, but all other functions are in a valid order."""
    inner = [n for n in walk.given if 0 <= n < len(walk.targets) and walk.targets[n]]
    return walk.complete and walk.forward(inner)


def _slot_by_slot(pick: Callable[[tuple[tuple[int | None, int], ...]], int | None]) -> Hypothesis:
    """Only one slot of each node is followed."""

    def holds(walk: Walk) -> bool:
        order, n = list[int](), walk.graph.root
        while n is not None:
            order.append(n)
            n = pick(walk.graph.nodes[n].slots)
        return walk.given == order

    return holds


def _levels(walk: Walk) -> bool:
    """Sorted by distance from the root, in any order at equal distance."""
    far = {0: 0}
    for n in orders.breadth_first(walk.about, 0) if walk.targets else ():
        for target in walk.targets[n]:
            far.setdefault(target, far[n] + 1)
    return walk.complete and all(far[a] <= far[b] for a, b in pairwise(walk.given))


def _is(order: Callable[[AskedGraph, int], list[int]]) -> Hypothesis:
    """The answer is what a wrong traversal lists."""
    return lambda walk: walk.given == (order(walk.about, 0) if walk.targets else [])


def _miscounted(first_in: bool, backwards: bool) -> Hypothesis:
    """Consumers are counted once but decreased for each slot, or the other way round."""
    early, never = (
        _is(partial(orders.counted, counted_once=once, taken_off_once=not once, first_in=first_in, backwards=backwards))
        for once in (True, False)
    )
    return lambda walk: early(walk) or never(walk)


def _once_per_path(walk: Walk) -> bool:
    return len(walk.given) > len(walk.targets) and set(walk.given) == set(range(len(walk.targets)))


ORDERS: dict[str, tuple[Hypothesis, ...]] = {
    "first-slot-only": (
        _slot_by_slot(lambda slots: slots[0][0] if slots else None),
        _slot_by_slot(lambda slots: next((t for t, _ in slots if t is not None), None)),
        _slot_by_slot(lambda slots: slots[-1][0] if slots else None),
    ),
    "drops-leaves": (_without_leaves,),
    "not-reversed": (_backward,),
    "leaves-too-early": (_leaves_early,),
    "preorder-dfs": (
        *(_is(partial(order, right_first=f)) for order in (orders.pre_order, orders.as_found) for f in (True, False)),
    ),
    "bfs-order": (_levels, _is(orders.moved_to_the_end)),
    "consumers-miscounted": tuple(_miscounted(f, b) for f in (True, False) for b in (False, True)),
    "lists-twice": (_once_per_path,),
}


# -- counts ------------------------------------------------------------------------------------------------------------


def _counting(count: Callable[[Walk, int], int]) -> Hypothesis:
    """The claim for every leaf in question; `leaves` are its node numbers, -1 for a leaf outside the graph."""

    def holds(walk: Walk) -> bool:
        asked = walk.asked.leaves or ()
        return len(walk.given) == len(asked) and all(
            given
            == (
                int(leaf == walk.asked.itself)
                if walk.graph.root is None
                else count(walk, walk.about.number_of.get(leaf, -1))
            )
            for leaf, given in zip(asked, walk.given, strict=True)
        )

    return holds


def _paths(walk: Walk, ends: Callable[[int], bool], slots: Callable[[int], Sequence[int | None]], empty: int = 0) -> int:
    below = [0] * len(walk.targets)
    for n in walk.about.upward:
        below[n] = 1 if ends(n) else sum(empty if target is None else below[target] for target in slots(n))
    return below[walk.graph.root or 0]


def _slots(walk: Walk) -> Callable[[int], list[int | None]]:
    return lambda n: [target for target, _ in walk.graph.nodes[n].slots]


def _uses(walk: Walk, leaf: int) -> int:
    return sum(targets.count(leaf) for targets in walk.targets)


def _users(walk: Walk, leaf: int) -> int:
    return sum(leaf in targets for targets in walk.targets)


def _nodes_on_paths(walk: Walk, leaf: int) -> int:
    reach = [False] * len(walk.targets)
    for n in walk.about.upward:
        reach[n] = n == leaf or any(reach[t] for t in walk.targets[n])
    return sum(reach)


def _merged(walk: Walk, leaf: int) -> int:
    return _paths(walk, lambda n: n == leaf, lambda n: list(dict.fromkeys(walk.targets[n])))


def _with_empty(walk: Walk, leaf: int) -> int:
    return _paths(walk, lambda n: n == leaf, _slots(walk), empty=1)


def _to_any(walk: Walk, leaf: int) -> int:
    return _paths(walk, lambda n: not walk.targets[n], lambda n: list(walk.targets[n]))


def _passed_on(first_in: bool, backwards: bool) -> Callable[[Walk, int], int]:
    """Each function adds the count it has when it is visited, although more may be added later."""

    def count(walk: Walk, leaf: int) -> int:
        have = [0] * len(walk.targets)
        have[0] = 1
        waiting, seen = deque([0]), set[int]()
        while waiting:
            n = waiting.popleft() if first_in else waiting.pop()
            if n in seen:
                continue
            seen.add(n)
            for target in walk.targets[n][::-1] if backwards else walk.targets[n]:
                have[target] += have[n]
                waiting.append(target)
        return have[leaf] if leaf >= 0 else 0

    return count


def _reached(walk: Walk, leaf: int) -> int:
    return int(leaf >= 0)


def _counting_alike(classes: int) -> Hypothesis:
    """Leaves with the same numbers or shared memory count as one."""

    def holds(walk: Walk) -> bool:
        if len(walk.asked.alike) <= classes or len(walk.given) != len(walk.asked.leaves or ()):
            return False
        class_of = walk.asked.alike[classes]
        for leaf, given in zip(walk.asked.leaves or (), walk.given, strict=True):
            same = {walk.about.number_of.get(other, -1) for other in class_of if class_of[other] == class_of[leaf]}
            itself = walk.asked.itself is not None and class_of[walk.asked.itself] == class_of[leaf]
            count = int(itself) if walk.graph.root is None else _paths(walk, lambda n: n in same, _slots(walk))  # noqa: B023
            if given != count:
                return False
        return True

    return holds


def _any_leaf_is_it(walk: Walk) -> bool:
    """For a path count from one leaf to another, the answer is 1."""
    return (
        walk.given == [int(walk.asked.itself is not None)] * len(walk.given) if walk.graph.root is None else not walk.wrong
    )


COUNTS: dict[str, tuple[Hypothesis, ...]] = {
    "identity-by-value": (_counting_alike(0), _counting_alike(1)),
    "counts-nodes": (_counting(_uses), _counting(_users), _counting(_nodes_on_paths)),
    "lost-multiplicity": (_counting(_merged),),
    "counts-none": (_counting(_with_empty),),
    "counts-all-leaves": (_counting(_to_any), _any_leaf_is_it),
    "wrong-traversal": tuple(_counting(_passed_on(f, b)) for f in (True, False) for b in (False, True)),
    "counts-whether": (_counting(_reached),),
}
