"""Explains wrong orders of functions and wrong path counts by incorrect traversals of a backward graph.

The author declares which of the judge's graphs a question is about (`graph_of`). Many orders are right, so a claim about an
order is a property of every answer of the check, including right ones. A count is unique and can be predicted. No student
code runs.
"""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property
from typing import Any

import torch  # noqa: F401  an author's `build` needs it; it takes a second to load, which is better over early

from autograder.judge.checks.graphs import bottom_up
from autograder.judge.diagnosis.declare import Asked, Declared, GraphQuestion
from autograder.judge.diagnosis.evidence import Evidence, Finding, Pair

LIMIT = 4000
KEPT = 400
FAR = 1 << 62


_places: "dict[tuple[GraphQuestion, str], Place]" = {}


class Place:
    """A graph that a question is about. It is cached, because the seeds of a dictionary always give the same questions."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self.graph = asked, asked.graph

    @cached_property
    def targets(self) -> list[list[int]]:
        return [self.graph.targets(n) for n in range(len(self.graph.nodes))]

    @cached_property
    def upward(self) -> list[int]:
        return bottom_up(self.graph)


class Walk:
    """One question about a graph, with the given answer: node numbers in order, or a count for each leaf."""

    def __init__(self, place: Place, given: list[int], right: list[int], seed: int, wrong: bool) -> None:
        self.asked, self.graph = place.asked, place.graph
        self.targets, self._place = place.targets, place
        self.given, self.right, self.seed, self.differs = given, right, seed, wrong

    @property
    def complete(self) -> bool:
        return sorted(self.given) == list(range(len(self.targets)))

    def forward(self, order: Sequence[int]) -> bool:
        """Whether no edge between listed nodes points backward."""
        place = {n: at for at, n in enumerate(order)}
        return len(place) == len(order) and all(
            place[n] < place.get(t, FAR) for n in order if 0 <= n < len(self.targets) for t in self.targets[n]
        )

    @property
    def wrong(self) -> bool:
        """Whether the answer is wrong; an order that differs from the reference's may be right."""
        return self.differs if self.asked.leaves is not None else not (self.complete and self.forward(self.given))

    @property
    def upward(self) -> list[int]:
        return self._place.upward


Claim = Callable[[Walk], bool]


def findings(evidence: Evidence, hooks: Declared) -> list[Finding]:
    found: dict[str, list[str]] = {}
    read = {check: [_walk(pair, hooks) for pair in pairs] for check, pairs in evidence.pairs.items()}
    counts = [walk for own in read.values() for walk in own if walk is not None and walk.asked.leaves is not None]
    refuted: dict[Claim, bool] = {}
    for check, walks in read.items():
        known = [walk for walk in walks if walk is not None]
        wrong = [walk for walk in known if walk.wrong]
        if len(known) < len(walks) or {walk.seed for walk in wrong} != set(evidence.seeds):
            continue
        counted = wrong[0].asked.leaves is not None
        for key, variants in (COUNTS if counted else ORDERS).items():
            for variant in variants:
                if not all(map(variant, wrong)) or not all(map(variant, known)):
                    continue
                if variant not in refuted:
                    refuted[variant] = counted and any(_contradicts(variant, walk) for walk in counts)
                if not refuted[variant]:
                    found.setdefault(key, []).append(check)
                    break
    return [Finding((key,), tuple(checks), "surgery") for key, checks in found.items()]


def _contradicts(count: Claim, walk: Walk) -> bool:
    """Whether this way of counting gives a wrong number here that differs from the given one."""
    rightly = copy(walk)
    rightly.given = walk.right
    return not count(walk) and not count(rightly)


def _walk(pair: Pair, hooks: Declared) -> Walk | None:
    hook = hooks.graphs.get(pair.given.question[1])
    if hook is None or pair.given.raised is not None or pair.right.raised is not None:
        return None
    try:
        given, right = pair.given.value, pair.right.value
        for step in hook.answer:
            given, right = given[step], right[step]
        if not isinstance(given, list | tuple) or any(type(n) is not int for n in given):
            return None
        place = _place(hook, pair.given.args)
    except (LookupError, TypeError, ValueError, RuntimeError):
        return None
    return Walk(place, list(given), list(right), pair.seed, not pair.agrees) if len(place.graph.nodes) <= LIMIT else None


def _place(hook: GraphQuestion, args: tuple[Any, ...]) -> Place:
    key = hook, repr(args)
    if key not in _places:
        if len(_places) >= KEPT:
            _places.clear()
        _places[key] = Place(hook.build(*args))
    return _places[key]


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


def _slot_by_slot(pick: Callable[[tuple[tuple[int | None, int], ...]], int | None]) -> Callable[[Walk], bool]:
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
    far, n = {0: 0}, 0
    queue = [0] if walk.targets else []
    while n < len(queue):
        for target in walk.targets[queue[n]]:
            if target not in far:
                far[target] = far[queue[n]] + 1
                queue.append(target)
        n += 1
    return walk.complete and all(far[a] <= far[b] for a, b in zip(walk.given, walk.given[1:], strict=False))


def _moved_to_the_end(walk: Walk) -> bool:
    """Breadth-first; each node is at the position of its last visit."""
    order = dict.fromkeys([0] if walk.targets else [])
    queue = deque(order)
    while queue:
        for target in walk.targets[queue.popleft()]:
            if target in order:
                del order[target]
            else:
                queue.append(target)
            order[target] = None
    return walk.given == list(order)


def _first_visits(backwards: bool, marked: bool) -> Callable[[Walk], bool]:
    """Depth-first, with nodes listed when popped from the stack, or marked when pushed."""

    def holds(walk: Walk) -> bool:
        order, seen = list[int](), set[int]()
        stack = [0] if walk.targets else []
        while stack:
            n = stack.pop()
            if n in seen and not (marked and n not in order):
                continue
            seen.add(n)
            order.append(n)
            below = walk.targets[n][::-1] if backwards else walk.targets[n]
            for target in below:
                if not marked or target not in seen:
                    stack.append(target)
                    seen.update([target] if marked else [])
        return walk.given == order

    return holds


def _miscounted(first_in: bool, backwards: bool) -> Callable[[Walk], bool]:
    """Consumers are counted once but decreased for each slot, or the other way round."""

    def holds(walk: Walk) -> bool:
        return walk.given in (_as_counted(walk, True, False), _as_counted(walk, False, True))

    def _as_counted(walk: Walk, counted_once: bool, taken_off_once: bool) -> list[int]:
        below = [targets[::-1] if backwards else targets for targets in walk.targets]
        once = [list(dict.fromkeys(targets)) for targets in below]
        waits = Counter(target for targets in (once if counted_once else below) for target in targets)
        order, ready = list[int](), deque([0] if below else [])
        while ready:
            order.append(ready.popleft() if first_in else ready.pop())
            for target in (once if taken_off_once else below)[order[-1]]:
                waits[target] -= 1
                if waits[target] == 0:
                    ready.append(target)
        return order

    return holds


def _once_per_path(walk: Walk) -> bool:
    return len(walk.given) > len(walk.targets) and set(walk.given) == set(range(len(walk.targets)))


ORDERS: dict[str, tuple[Claim, ...]] = {
    "first-slot-only": (
        _slot_by_slot(lambda slots: slots[0][0] if slots else None),
        _slot_by_slot(lambda slots: next((t for t, _ in slots if t is not None), None)),
        _slot_by_slot(lambda slots: slots[-1][0] if slots else None),
    ),
    "drops-leaves": (_without_leaves,),
    "not-reversed": (_backward,),
    "leaves-too-early": (_leaves_early,),
    "preorder-dfs": (
        _first_visits(False, False),
        _first_visits(True, False),
        _first_visits(False, True),
        _first_visits(True, True),
    ),
    "bfs-order": (_levels, _moved_to_the_end),
    "consumers-miscounted": tuple(_miscounted(f, b) for f in (True, False) for b in (False, True)),
    "lists-twice": (_once_per_path,),
}


# -- counts ------------------------------------------------------------------------------------------------------------


def _counting(count: Callable[[Walk, int], int]) -> Callable[[Walk], bool]:
    """The claim for every leaf in question; `leaves` are its node numbers, -1 for a leaf outside the graph."""

    def holds(walk: Walk) -> bool:
        numbers = {node.leaf: n for n, node in enumerate(walk.graph.nodes) if node.leaf is not None}
        asked = walk.asked.leaves or ()
        return len(walk.given) == len(asked) and all(
            given == (int(leaf == walk.asked.itself) if walk.graph.root is None else count(walk, numbers.get(leaf, -1)))
            for leaf, given in zip(asked, walk.given, strict=True)
        )

    return holds


def _paths(walk: Walk, ends: Callable[[int], bool], slots: Callable[[int], Sequence[int | None]], empty: int = 0) -> int:
    below = [0] * len(walk.targets)
    for n in walk.upward:
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
    for n in walk.upward:
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


def _counting_alike(classes: int) -> Callable[[Walk], bool]:
    """Leaves with the same numbers or shared memory count as one."""

    def holds(walk: Walk) -> bool:
        if len(walk.asked.alike) <= classes or len(walk.given) != len(walk.asked.leaves or ()):
            return False
        class_of = walk.asked.alike[classes]
        numbers = {node.leaf: n for n, node in enumerate(walk.graph.nodes) if node.leaf is not None}
        for leaf, given in zip(walk.asked.leaves or (), walk.given, strict=True):
            same = {numbers.get(other, -1) for other in class_of if class_of[other] == class_of[leaf]}
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


COUNTS: dict[str, tuple[Claim, ...]] = {
    "identity-by-value": (_counting_alike(0), _counting_alike(1)),
    "counts-nodes": (_counting(_uses), _counting(_users), _counting(_nodes_on_paths)),
    "lost-multiplicity": (_counting(_merged),),
    "counts-none": (_counting(_with_empty),),
    "counts-all-leaves": (_counting(_to_any), _any_leaf_is_it),
    "wrong-traversal": tuple(_counting(_passed_on(f, b)) for f in (True, False) for b in (False, True)),
    "counts-whether": (_counting(_reached),),
}
