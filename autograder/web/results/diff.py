"""Line diff of two files in a bounded number of steps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from autograder.judge.files import Place, places_of
from autograder.web.results.shown_file import shown_file

CONTEXT = 3
MAX_STEPS = 200_000  # of `_equal_lines`: enough for two files of 315 lines that have none in common

TOO_LONG = "These files are too long to compare here. Download both and compare them on your computer."
TOO_DIFFERENT = "These files differ in too many lines to compare here. Download both and compare them on your computer."


NOWHERE = Place("", 0)


@dataclass(frozen=True)
class DiffLine:
    sign: str
    css: str
    word: str
    number: int
    text: str
    place: Place = NOWHERE  # the file and the line in it
    old_number: int = 0  # in the older file, of a line that both have
    old_place: Place = NOWHERE


FOLD = DiffLine(" ", "fold", "", 0, "…")


@dataclass(frozen=True)
class Diff:
    """`refused` is the reason why the files were not compared, if they were not."""

    lines: tuple[DiffLine, ...] = ()
    refused: str = ""


def diff_of(older: bytes, newer: bytes) -> Diff:
    left, right = shown_file(older), shown_file(newer)
    if left.cut or right.cut:
        return Diff(refused=TOO_LONG)
    lines = diff_lines(left.lines, right.lines)
    if lines is None:
        return Diff(refused=TOO_DIFFERENT)
    before, after = places_of(older), places_of(newer)
    return Diff(tuple(_placed(line, before, after) for line in lines))


def _placed(line: DiffLine, before: Callable[[int], Place], after: Callable[[int], Place]) -> DiffLine:
    if line.css == "del":
        place = before(line.number)
        return replace(line, place=place, old_place=place)
    return replace(line, place=after(line.number), old_place=before(line.old_number) if line.old_number else NOWHERE)


def diff_lines(left: Sequence[str], right: Sequence[str]) -> list[DiffLine] | None:
    """Return a unified diff with distant equal lines folded, or None if it takes more than MAX_STEPS."""
    pairs = _equal_lines(left, right)
    if pairs is None:
        return None
    lines: list[DiffLine] = []
    a = b = 0
    for i, j in (*pairs, (len(left), len(right))):
        lines += [DiffLine("−", "del", "removed", n + 1, left[n]) for n in range(a, i)]
        lines += [DiffLine("+", "add", "added", n + 1, right[n]) for n in range(b, j)]
        if j < len(right) and i < len(left):
            lines.append(DiffLine(" ", "", "", j + 1, right[j], old_number=i + 1))
        a, b = i + 1, j + 1
    return _folded(lines)


def _folded(lines: Sequence[DiffLine]) -> list[DiffLine]:
    near = {n + offset for n, line in enumerate(lines) if line.css for offset in range(-CONTEXT, CONTEXT + 1)}
    found: list[DiffLine] = []
    for n, line in enumerate(lines):
        if n in near:
            found.append(line)
        elif found and found[-1] is not FOLD:
            found.append(FOLD)
    return found[:-1] if found and found[-1] is FOLD else found


def _equal_lines(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]] | None:
    """Return the indices of equal lines by Myers' greedy algorithm in O(ND) steps, or None if that takes too many.

    Round `e` holds, for each number of removals among `e` edits, how many lines of the left file are consumed.
    """
    numbers: dict[str, int] = {}
    a, b = ([numbers.setdefault(line, len(numbers)) for line in side] for side in (left, right))
    rounds: list[list[int]] = []
    steps = 0
    for edits in range(len(a) + len(b) + 1):
        before, now = rounds[-1] if rounds else [], list[int]()
        rounds.append(now)
        for removed in range(edits + 1):
            x = start = _after_edit(before, removed)
            y = x - removed + (edits - removed)
            while x < len(a) and y < len(b) and a[x] == b[y]:
                x, y = x + 1, y + 1
            now.append(x)
            if x >= len(a) and y >= len(b):
                return _way_back(rounds, x, y)
            steps += 1 + x - start
            if steps > MAX_STEPS:
                return None
    raise AssertionError("removing every line and adding every line is always enough")


def _added_last(before: Sequence[int], removed: int) -> bool:
    return removed == 0 or (removed < len(before) and before[removed - 1] < before[removed])


def _after_edit(before: Sequence[int], removed: int) -> int:
    if not before:
        return 0
    return before[removed] if _added_last(before, removed) else before[removed - 1] + 1


def _way_back(rounds: Sequence[Sequence[int]], x: int, y: int) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    removed = len(rounds[-1]) - 1
    for edits in range(len(rounds) - 1, -1, -1):
        before = rounds[edits - 1] if edits else ()
        begun = _after_edit(before, removed)
        while x > begun:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        if edits and _added_last(before, removed):
            y -= 1
        elif edits:
            x, removed = x - 1, removed - 1
    return pairs[::-1]
