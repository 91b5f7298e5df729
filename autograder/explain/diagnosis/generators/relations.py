"""Explains wrong answers by their form and by how their numbers relate to the right numbers.

This needs no forward function and runs no student code. A relation is claimed for a check only if it holds for every wrong
leaf of every answer in every trial. A relation that also says something about right answers is tested on those too.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise, permutations

import numpy as np

from autograder.explain.diagnosis.evidence import Evidence, Leaf, MistakeClaim, Pair, is_missing
from autograder.explain.diagnosis.fingerprint import equal, same_reply
from autograder.judge.arrays import Numbers, to_numpy
from sandbox.wire import Array

OTHERS = 40
Relation = Callable[[Sequence[Leaf], Sequence[Pair]], bool]


def claims(evidence: Evidence) -> list[MistakeClaim]:
    """One claim per relation, with all checks in which it holds; the most specific relations come first."""
    found = []
    for operator, relation in RELATIONS:
        checks = [check for check, pairs in evidence.pairs.items() if _holds(operator, relation, pairs, evidence)]
        if operator == "approximate" and set(checks) < {c for c, pairs in evidence.pairs.items() if _has_arrays(pairs)}:
            continue  # a difference quotient affects every check
        if checks:
            found.append(MistakeClaim((operator,), tuple(checks), "symptom" if operator in SPECIFIC else "structural"))
    return found


def _holds(operator: str, relation: Relation, pairs: Sequence[Pair], evidence: Evidence) -> bool:
    wrong = [pair for pair in pairs if not pair.agrees]
    leaves = [leaf for pair in wrong for leaf in pair.wrong]
    if operator == "approximate":  # may agree to all digits that are compared here
        leaves = [leaf for pair in pairs for leaf in pair.leaves if _real(leaf)]
    elif not evidence.every_seed(wrong):
        return False
    if operator not in OF_REPLIES and any(pair.given.raised is not None for pair in wrong):
        return False  # a relation between numbers cannot account for an exception
    with np.errstate(all="ignore"):
        return relation(leaves, pairs)


def _every(test: Callable[[Leaf], bool]) -> Relation:
    return lambda leaves, _: bool(leaves) and all(test(leaf) for leaf in leaves)


def _numbers(test: Callable[[Numbers, Numbers], bool]) -> Relation:
    """Lifts a relation between right and given numbers to leaves."""

    def holds(leaf: Leaf) -> bool:
        if leaf.numbers is None:
            return False
        with np.errstate(all="ignore"):
            return test(*leaf.numbers)

    return _every(holds)


# -- exceptions and arguments ------------------------------------------------------------------------------------------


def _too_deep(leaves: Sequence[Leaf], pairs: Sequence[Pair]) -> bool:
    """RecursionError where the reference answers, and nothing else is wrong."""
    raised = [pair.given.raised for pair in pairs if not pair.agrees]
    return not leaves and all(r is not None and r.type_name == "RecursionError" for r in raised)


def _printed_too_deep(leaves: Sequence[Leaf], pairs: Sequence[Pair]) -> bool:
    """The same for nested calls of `__repr__`."""
    lines = [pair.given.raised.lines for pair in pairs if not pair.agrees and pair.given.raised is not None]
    return _too_deep(leaves, pairs) and all({line.function for line in own} & {"__repr__", "__str__"} for own in lines)


def _changed_arguments(_: Sequence[Leaf], pairs: Sequence[Pair]) -> bool:
    """Arguments were modified that the reference does not modify."""
    wrong = [pair for pair in pairs if not pair.agrees]
    return all(
        pair.given.inputs is not None and not pair.wrong and not _same_arrays(pair.given.inputs, pair.right.inputs or [])
        for pair in wrong
    )


def _same_arrays(one: Sequence[object], other: Sequence[object]) -> bool:
    return len(one) == len(other) and all(
        not isinstance(a, Array)
        or (isinstance(b, Array) and (a.shape, a.layout) == (b.shape, b.layout) and bytes(a.data) == bytes(b.data))
        for a, b in zip(one, other, strict=True)
    )


def _second_call(_: Sequence[Leaf], pairs: Sequence[Pair]) -> bool:
    """The first answer to a question is right, the second answer to the same question is not."""
    for seed in {pair.seed for pair in pairs}:
        own = [pair for pair in pairs if pair.seed == seed]
        again = [(a, b) for a, b in pairwise(own) if a.given.question == b.given.question and _same_question(a, b)]
        if not any(a.agrees and not b.agrees for a, b in again) or sum(not pair.agrees for pair in own) != 1:
            return False
    return True


def _same_question(one: Pair, other: Pair) -> bool:
    return same_reply(one.right, other.right) and _same_arrays(one.given.args, other.given.args)


def _only_odd_layouts(leaves: Sequence[Leaf], pairs: Sequence[Pair]) -> bool:
    """Wrong only for arrays that are not contiguous, with the right numbers in another order. Contiguous arrays of the same
    shapes gave right answers."""
    wrong = [pair for pair in pairs if not pair.agrees]
    plain_right = [_shapes(pair) for pair in pairs if pair.agrees and not _oddly_laid_out(pair)]
    shuffled = _numbers(lambda r, s: r.shape == s.shape and r.size > 1 and equal(np.sort(s, None), np.sort(r, None)))
    compared = len(plain_right) >= 3 and any(_shapes(pair) in plain_right for pair in wrong)
    return compared and all(map(_oddly_laid_out, wrong)) and shuffled(leaves, pairs)


def _oddly_laid_out(pair: Pair) -> bool:
    return any(isinstance(arg, Array) and arg.layout != "contiguous" for arg in pair.given.args)


def _shapes(pair: Pair) -> list[tuple[int, ...]]:
    return [arg.shape for arg in pair.given.args if isinstance(arg, Array)]


# -- shapes ------------------------------------------------------------------------------------------------------------


def _keepdims(right: Numbers, given: Numbers) -> bool:
    """The numbers are right, but axes of size 1 are missing or added."""
    lost = [n for n in right.shape if n != 1] == [n for n in given.shape if n != 1]
    return lost and right.shape != given.shape and equal(given.reshape(right.shape), right)


def _transposed(right: Numbers, given: Numbers) -> bool:
    return right.ndim >= 2 and min(right.shape[-2:]) > 1 and equal(given, right.swapaxes(-1, -2))


def _regrouped(leaves: Sequence[Leaf], pairs: Sequence[Pair]) -> bool:
    """The shape is right, but the entries are in the order of other axes, and not because of a memory layout."""
    return _numbers(_in_order_of_other_axes)(leaves, pairs) and not _only_odd_layouts(leaves, pairs)


def _in_order_of_other_axes(right: Numbers, given: Numbers) -> bool:
    if right.shape != given.shape or not 2 <= right.ndim <= 4 or equal(given, right):
        return False
    orders = permutations(range(right.ndim))
    return any(equal(given.reshape(-1), right.transpose(order).reshape(-1)) for order in orders)


def _reshaped(right: Numbers, given: Numbers) -> bool:
    return right.size == given.size > 0 and right.shape != given.shape and equal(given.reshape(right.shape), right)


def sum_to(values: Numbers, shape: tuple[int, ...]) -> Numbers | None:
    """Sums over broadcast axes; None if the shape does not fit."""
    added = values.ndim - len(shape)
    if added < 0 or any(n not in (1, m) for n, m in zip(shape, values.shape[added:], strict=True)):
        return None
    values = np.asarray(values.sum(axis=tuple(range(added))))
    return np.asarray(values.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True))


def _unsummed(right: Numbers, given: Numbers) -> bool:
    summed = sum_to(given, right.shape)
    return given.shape != right.shape and summed is not None and equal(summed, right)


def _missing_unbroadcast(leaves: Sequence[Leaf], pairs: Sequence[Pair]) -> bool:
    """Wherever a gradient is wrong, it has the upstream's shape in all answers."""
    if not _numbers(_unsummed)(leaves, pairs) or not any(_has_copies(leaf) for leaf in leaves):
        return False
    places = {leaf.path for leaf in leaves}
    for pair in pairs:
        upstream = next((a.shape for a in pair.given.args if isinstance(a, Array)), None)
        for leaf in pair.leaves:
            if leaf.path not in places or not isinstance(leaf.given, Array) or leaf.given.shape == upstream:
                continue
            if not leaf.agrees and leaf.given.shape[:-2] != (upstream or ())[:-2]:
                return False
            if leaf.agrees and (len(leaf.given.shape) < len(upstream or ()) or 1 in leaf.given.shape[:-2]):
                return False  # the copies were summed here
    return True


def _has_copies(leaf: Leaf) -> bool:
    """Whether the given array has copies. An additional axis of size 1 is not a copy."""
    return leaf.numbers is not None and leaf.numbers[1].size > leaf.numbers[0].size


def _leading_only(leaves: Sequence[Leaf], pairs: Sequence[Pair]) -> bool:
    """Prepended axes are summed, expanded ones are not."""
    if not _numbers(lambda r, s: r.ndim == s.ndim and _unsummed(r, s))(leaves, pairs):
        return False
    places = {leaf.path for leaf in leaves}
    uppers = [next((a.ndim for a in map(_array, p.given.args) if a is not None), 0) for p in pairs]
    return any(
        pair.agrees and leaf.path in places and isinstance(leaf.given, Array) and len(leaf.given.shape) < upper
        for pair, upper in zip(pairs, uppers, strict=True)
        for leaf in pair.leaves
    )


def _array(value: object) -> Numbers | None:
    return to_numpy(value) if isinstance(value, Array) else None


# -- numbers -----------------------------------------------------------------------------------------------------------


def _swapped(leaves: Sequence[Leaf], pairs: Sequence[Pair]) -> bool:
    """Two entries of one answer are swapped."""
    wrong = [pair for pair in pairs if not pair.agrees]
    for pair in wrong:
        if len(pair.wrong) != 2 or any(leaf.numbers is None for leaf in pair.wrong):
            return False
        (r0, s0), (r1, s1) = (leaf.numbers for leaf in pair.wrong if leaf.numbers is not None)
        if not (equal(s0, r1) and equal(s1, r0)):
            return False
    return bool(wrong) and bool(leaves)


def _combined(made: Callable[[Numbers, Numbers], Numbers]) -> Relation:
    """Each wrong entry combines its own right numbers with those of another entry of the same answer."""

    def holds(leaves: Sequence[Leaf], pairs: Sequence[Pair]) -> bool:
        wrong = [pair for pair in pairs if pair.wrong]
        if len(leaves) < len(wrong) or any(leaf.numbers is None or leaf.numbers[0].size < 2 for leaf in leaves):
            return False
        return bool(wrong) and all(_from_others(pair, made) for pair in wrong)

    return holds


def _from_others(pair: Pair, made: Callable[[Numbers, Numbers], Numbers]) -> bool:
    known = [leaf.numbers[0] for leaf in pair.leaves if leaf.numbers is not None and np.any(leaf.numbers[0])]
    if len(known) > OTHERS:
        return False
    numbers = [leaf.numbers for leaf in pair.wrong if leaf.numbers is not None]
    return all(any(o.shape == r.shape and not equal(o, r) and equal(s, made(r, o)) for o in known) for r, s in numbers)


def _negated(right: Numbers, given: Numbers) -> bool:
    return bool(np.any(right)) and equal(given, -right)


def _averaged(leaves: Sequence[Leaf], pairs: Sequence[Pair]) -> bool:
    """The right sum over copies, divided by the number of all copies or of those along one kind of axis."""
    kinds = [True, True, True]
    for pair in pairs:
        upstream = next((a.shape for a in pair.given.args if isinstance(a, Array)), None)
        for leaf in pair.wrong:
            if leaf.numbers is None or upstream is None or len(upstream) < leaf.numbers[0].ndim:
                return False
            right, given = leaf.numbers
            added = len(upstream) - right.ndim
            front = int(np.prod(upstream[:added]))
            stretched = int(np.prod([m for n, m in zip(right.shape, upstream[added:], strict=True) if n == 1]))
            counts = (front * stretched, front, stretched)
            kinds = [k and n > 1 and equal(given * n, right) for k, n in zip(kinds, counts, strict=True)]
    return bool(leaves) and any(kinds)


def _scaled(leaves: Sequence[Leaf], _: Sequence[Pair]) -> bool:
    """The same simple factor everywhere in every trial, such as a missing 2, 3 or 1/2."""
    factors = []
    for leaf in leaves:
        if leaf.numbers is None or leaf.numbers[0].shape != leaf.numbers[1].shape or type(leaf.right) is int:
            return False  # a count has no factor
        right, given = leaf.numbers
        if not np.any(right) or not np.isfinite(given).all():
            return False
        factor = float((given * right).sum() / (right * right).sum())
        if not equal(given, factor * right):
            return False
        factors.append(factor)
    return len(factors) >= 3 and equal(np.array(factors), np.full(len(factors), factors[0])) and _simple(factors[0])


def _simple(factor: float) -> bool:
    return (
        abs(factor) > 1e-3
        and abs(factor - 1) > 1e-3
        and any(abs(factor * n - round(factor * n)) < 1e-7 and 0 < abs(round(factor * n)) <= 12 for n in range(1, 7))
    )


def _nonfinite(right: Numbers, given: Numbers) -> bool:
    """nan or inf where the truth differs; every finite number is right."""
    if right.shape != given.shape or given.dtype.kind != "f":
        return False
    good = np.isfinite(given)
    odd = ~good & ~((given == right) | np.isnan(right))
    return bool(odd.any()) and (not good.any() or equal(given[good], right[good]))


def _overflow(right: Numbers, given: Numbers) -> bool:
    """Overflow, where much smaller terms may have vanished."""
    if right.shape != given.shape:
        return False
    return _nonfinite(np.where(given == 0, 0.0, right), given) and not _underflow(right, given)


def _underflow(right: Numbers, given: Numbers) -> bool:
    """The logarithm of a sum that underflowed to 0."""
    odd = ~np.isfinite(given)
    return _nonfinite(right, given) and bool(np.isneginf(given[odd]).all())


def _undefined_where(place: Callable[[Numbers], Numbers]) -> Relation:
    """nan or inf exactly where an argument of the same shape has a certain value or, for results of another shape, only if
    an argument contains it."""

    def holds(leaves: Sequence[Leaf], pairs: Sequence[Pair]) -> bool:
        if not _numbers(_nonfinite)(leaves, pairs):
            return False
        sizes = []
        for pair in pairs:
            arrays = [values for values in map(_array, pair.given.args) if values is not None and values.dtype.kind == "f"]
            for leaf in pair.wrong:
                assert leaf.numbers is not None
                odd = ~np.isfinite(leaf.numbers[1])
                sizes += [odd.shape == values.shape for values in arrays]
                if not any(place(v)[odd].all() if odd.shape == v.shape else place(v).any() for v in arrays):
                    return False
        return any(sizes)

    return holds


def _undefined_for_negatives(leaves: Sequence[Leaf], pairs: Sequence[Pair]) -> bool:
    """nan exactly where an argument is negative, and not only where it is so large that something overflows."""
    if not _numbers(_nonfinite)(leaves, pairs):
        return False
    for pair in pairs:
        arrays = [values for values in map(_array, pair.given.args) if values is not None and values.dtype.kind == "f"]
        for leaf in pair.wrong:
            assert leaf.numbers is not None
            given = leaf.numbers[1]
            same = [v for v in arrays if np.array_equal(v < 0, np.isnan(given)) and np.any(np.abs(v[v < 0]) < MODERATE)]
            if np.isinf(given).any() or not same:
                return False
    return True


def _zeros(right: Numbers, given: Numbers) -> bool:
    """0 where the truth is not 0."""
    return right.shape == given.shape and bool(np.any(right)) and not np.any(given)


def _real(leaf: Leaf) -> bool:
    """Whether a leaf is an array with nonzero entries; counts and flags are excluded."""
    return leaf.numbers is not None and isinstance(leaf.right, Array) and bool(np.any(leaf.numbers[0]))


def _has_arrays(pairs: Sequence[Pair]) -> bool:
    """Whether a wrong answer should have been an array, of whatever shape it is."""
    right = (leaf.right for pair in pairs for leaf in pair.wrong)
    return any(isinstance(array, Array) and bool(np.any(to_numpy(array))) for array in right)


def _approximate(leaves: Sequence[Leaf], _: Sequence[Pair]) -> bool:
    """Right to a limited number of digits, and not because of single precision."""
    errors = []
    for leaf in leaves:
        if leaf.numbers is None or leaf.numbers[0].shape != leaf.numbers[1].shape or leaf.numbers[1].dtype.kind != "f":
            return False
        right, given = leaf.numbers
        size = np.linalg.norm(right)
        if size == 0 or np.array_equal(given.astype(np.float32).astype(given.dtype), given):
            return False
        errors.append(float(np.linalg.norm(given - right) / size))
    return len(errors) >= 3 and max(errors) < 1e-3 and sum(error > 1e-11 for error in errors) >= 3


def _inexact(leaves: Sequence[Leaf], _: Sequence[Pair]) -> bool:
    """Large integers that are right to about fifteen digits, or up to multiples of 2^64 or 2^32."""
    counts = [(leaf.right, leaf.given) for leaf in leaves if type(leaf.right) is int and type(leaf.given) is int]
    if not counts or len(counts) < len(leaves):
        return False
    rounded = all(abs(given - right) * 10**6 < abs(right) and _a_float(given) for right, given in counts)
    return rounded or any(all((given - right) % (1 << bits) == 0 for right, given in counts) for bits in (64, 32))


def _a_float(number: int) -> bool:
    return abs(number) < 1 << 1000 and int(float(number)) == number


def _container(leaf: Leaf) -> bool:
    """A bare value instead of a tuple that contains only it, or the other way round."""
    one, other = leaf.right, leaf.given
    if isinstance(one, list | tuple) == isinstance(other, list | tuple):
        return False
    inner, bare = (one, other) if isinstance(one, list | tuple) else (other, one)
    return len(inner) == 1 and isinstance(bare, Array) and Leaf((), bare, inner[0]).agrees


def _dtype(leaf: Leaf) -> bool:
    if isinstance(leaf.right, Array) != isinstance(leaf.given, Array) and leaf.numbers is not None:
        right, given = leaf.numbers
        return right.size == given.size == 1 and equal(given.reshape(1), right.reshape(1))
    if not isinstance(leaf.right, Array) or not isinstance(leaf.given, Array) or leaf.right.dtype == leaf.given.dtype:
        return False
    right, given = to_numpy(leaf.right), to_numpy(leaf.given)
    return right.shape == given.shape and np.allclose(np.asarray(given, float), right, rtol=1e-5, atol=1e-7)


MODERATE = 10.0  # of such arguments no function overflows
OF_REPLIES = ("recursive-repr", "recursion-limit", "mutation", "state")  # these use more than the numbers
# nan, inf and all zeros are more specific than an edit of the reference that happens to give them
SPECIFIC = ("masked", "zero-division", "negative", "overflow", "zeros")
RELATIONS: tuple[tuple[str, Relation], ...] = (
    ("recursive-repr", _printed_too_deep),
    ("recursion-limit", _too_deep),
    ("mutation", _changed_arguments),
    ("state", _second_call),
    ("return-none", _every(lambda leaf: is_missing(leaf.given) and isinstance(leaf.right, Array))),
    ("keepdims", _numbers(_keepdims)),
    ("no-reduction", _missing_unbroadcast),
    ("leading", _leading_only),
    ("transpose", _numbers(_transposed)),
    ("reshaped-axes", _regrouped),
    ("shape", _numbers(_reshaped)),
    ("container", _every(_container)),
    ("dtype", _every(_dtype)),
    ("swap-operands", _swapped),
    ("sign", _numbers(_negated)),
    ("zeros", _numbers(_zeros)),
    ("other-entry", _combined(lambda _, other: other)),
    ("entries-summed", _combined(lambda own, other: own + other)),
    ("entries-subtracted", _combined(lambda own, other: own - other)),
    ("entries-subtracted", _combined(lambda own, other: other - own)),
    ("reduction", _averaged),
    ("constant", _scaled),
    ("masked", _undefined_where(np.isneginf)),
    ("zero-division", _undefined_where(lambda values: values == 0)),
    ("negative", _undefined_for_negatives),
    ("overflow", _numbers(_overflow)),
    ("underflow", _numbers(_underflow)),
    ("inexact", _inexact),
    ("approximate", _approximate),
    ("layout", _only_odd_layouts),
)
