"""Prints a report in a terminal: the most important failure first, expected and given values side by side."""

from collections.abc import Iterable, Sequence
from functools import partial

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autograder.explain import advice
from autograder.explain.diagnosis import Explanation
from autograder.explain.misconceptions import title_of
from autograder.explain.misconceptions.numbers import example_of, gradient_of, numbers_of
from autograder.judge.array_text import nested
from autograder.judge.report import CheckResult, Detail, Report, Shown, Stopped
from autograder.judge.text import number, pair
from autograder.observability.parts import Parts
from autograder.trace import plain_text
from autograder.trace.model import Trace

VERDICTS = {
    "passed": ("✓", "bold green", "All checks passed"),
    "partial": ("◐", "bold yellow", "Some checks passed"),
    "failed": ("✗", "bold red", "No checks passed"),
    "error": ("✗", "bold red", "Grading did not finish"),
    "internal": ("◆", "bold magenta", "Internal error, not your fault: this does not count"),
}
COLUMNS_SHOWN = 8
ROWS_SHOWN = 12
WIDE = 34
MINUS = "−"


def show_report(console: Console, name: str, report: Report, kind: str = "") -> None:
    """Print a report. `kind` is the exercise's kind, which determines the advice on exceptions."""
    console.print(_heading(name, report), soft_wrap=True)
    if report.message:
        console.print(Padding(Text(report.message), (0, 0, 0, 2), expand=False))
    for part in _stop(report.stopped, advice.of_report(report, kind)):
        console.print(Padding(part, (0, 0, 0, 2), expand=False))
    if report.stdout.strip():
        console.print(Padding(_printed("Your file printed while it was loaded", report.stdout), (0, 0, 0, 2), expand=False))
    opened = False
    for check in report.checks:
        console.print(_line(check), soft_wrap=True)
        if check.failed:
            console.print(Padding(_evidence(check, full=not opened), (0, 0, 0, 4), expand=False))
            opened = True
    console.print(_footing(report))


def show_explanations(
    console: Console, report: Report, told: Sequence[Explanation], traces: Sequence[Trace] = (), kind: str = ""
) -> None:
    """Print the explanations of failed checks below a report, or advice on the first one, if no known mistake explains it. Always
    ends with an empty line.

    Numbers are those of the first explained check. A missing explanation is only mentioned if numbers were compared. `kind` is
    the exercise's kind, as in `show_report`.
    """
    grid = Table.grid(padding=(0, 2))
    if (said := _advice(report, told, kind)) is not None:
        grid.add_row(Text("Why", "bold"), Text(said.title, "bold"))
        grid.add_row("", Text(said.words))
    compared = any(advice.compared_numbers(check.detail) for check in report.checks)
    told = [explanation for explanation in told if explanation.key or compared]
    parts = Parts()
    for explanation in told:
        explained = [check for check in report.checks if check.id in explanation.checks]
        if explanation.key:
            grid.add_row(Text("Why", "bold"), Text(explanation.title or title_of(explanation.key), "bold"))
        grid.add_row("" if explanation.key or said else Text("Why", "bold"), Text(explanation.words))
        if explained and explanation.key:
            trace = next((trace for trace in traces if trace.check == explained[0].id), None)
            if numbers := parts.make("The numbers", partial(numbers_of, explanation.key, explained[0], trace)):
                grid.add_row("", Text(numbers))
        if (found := explanation.counterexample) is not None:
            if example := parts.make("The smallest example", partial(example_of, found)):
                grid.add_row("", Text(f"Smallest example: {example}"))
            if sentence := parts.make("The gradient that is returned", partial(gradient_of, found)):
                grid.add_row("", Text(sentence))
        if explained:
            grid.add_row("", Text(f"Seen in: {'; '.join(check.title for check in explained)}", "dim"))
    for sentence in parts.lost:
        grid.add_row("", Text(sentence))
    if grid.row_count:
        console.print(Padding(grid, (1, 0, 0, 2), expand=False))
    console.print()


def _advice(report: Report, told: Sequence[Explanation], kind: str) -> advice.Advice | None:
    """The advice on the first failed check, unless a known mistake explains it."""
    first = next((check for check in report.checks if check.failed), None)
    if first is None or report.starter or any(explanation.key and first.id in explanation.checks for explanation in told):
        return None
    return advice.of_check(first, kind)


def show_traces(console: Console, report: Report, traces: Sequence[Trace]) -> None:
    """Print the steps of the traced backward passes below a report, with the first wrong one in red."""
    titles = {check.id: check.title for check in report.checks}
    for trace in traces:
        given = ", ".join(f"{name} = {rounded(text)}" for name, text in trace.inputs.items())
        console.print(Padding(Text(f"The backward pass of “{titles.get(trace.check, trace.check)}”", "bold"), (1, 0, 0, 2)))
        console.print(Padding(Text(f"{trace.program} with {given}" if given else trace.program, "dim"), (0, 0, 0, 4)))
        parts = Parts()
        lines = parts.make("The backward pass", partial(plain_text.lines, trace)) or []
        for sentence in parts.lost:
            console.print(Padding(Text(sentence), (0, 0, 0, 4)))
        for step, line in enumerate(lines):
            style = "red" if step == trace.first_wrong else ""
            console.print(Padding(Text(f"{step + 1:>3}  {line}", style), (0, 0, 0, 4)))


def _heading(name: str, report: Report) -> Text:
    mark, style, words = VERDICTS[report.verdict]
    reason = f" ({report.reason})" if report.reason else ""
    text = Text.assemble(
        (f"{mark} {words}{reason}", style), "  ", (f"{report.score:g} of {report.max_score:g} points", "bold")
    )
    return text.append(f"  {name} · {report.exercise}", "dim")


def _footing(report: Report) -> Text:
    return Text(f"  {report.seconds * 1000:.0f} ms · seed {report.seed} · version {report.version}", "dim")


def _line(check: CheckResult) -> Text:
    if check.passed:
        mark, style = "✓", "green"
    elif check.ending == "unreached":
        mark, style = "·", "dim"
    else:
        mark, style = "✗", "red"
    text = Text.assemble(("  " + mark, style), " ", check.title)
    text.append(f"  {check.points:g}/{check.max_points:g}", "dim")
    return text.append("  hidden", "dim italic") if check.hidden else text


def _stop(stopped: Stopped | None, said: advice.Advice | None = None) -> Iterable[RenderableType]:
    """Yield the student's lines, innermost last, and advice."""
    for line in stopped.lines if stopped else ():
        where = f"{line.file}, line {line.number}" if line.file else f"line {line.number}"
        where = f"{where}, in {line.function}" if line.function else where
        yield Text.assemble((where, "bold"), f"  {line.text}")
    if said is not None:
        yield Text.assemble((f"{said.title}. ", "bold"), said.words)


def _evidence(check: CheckResult, full: bool) -> RenderableType:
    """Return the message and the lines of a failed check; values side by side only for the first one."""
    parts: list[RenderableType] = [Text(check.message), *_stop(check.stopped)]
    if full and check.detail is not None:
        parts.extend(_details(check.detail))
    if full and check.stdout.strip():
        parts.append(_printed("Printed during this check", check.stdout))
    return Group(*parts)


def _details(detail: Detail) -> Iterable[RenderableType]:
    if detail.inputs:
        inputs = ", ".join(f"{name} = {_short(value)}" for name, value in detail.inputs.items())
        yield Text(f"with {inputs}", "dim")
    if "\n" in detail.note:
        yield Padding(Text(detail.note), (0, 0, 0, 2), expand=False)
    if detail.expected is not None and detail.given is not None:
        yield _side_by_side(detail, detail.expected, detail.given)


def _side_by_side(detail: Detail, expected: Shown, given: Shown) -> RenderableType:
    if expected.names or len(expected.values) == 1 or expected.kind == "text":
        return _by_name(detail, expected, given)
    left, right = _grid(expected, set(), "cyan"), _grid(given, set(detail.differing), "red")
    headings = "expected" + _type_of(expected), "given" + _type_of(given)
    if max(len(line) for text in (left, right) for line in text.plain.split("\n")) > WIDE:
        return Group(Text(headings[0], "dim"), left, Text(headings[1], "dim"), right)
    table = Table(show_header=True, header_style="dim", box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for heading in headings:
        table.add_column(heading, no_wrap=True)
    table.add_row(left, right)
    return table


def _by_name(detail: Detail, expected: Shown, given: Shown) -> RenderableType:
    table = Table(show_header=True, header_style="dim", box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for heading in ("", "expected" + _type_of(expected), "given" + _type_of(given)):
        table.add_column(heading, justify="left" if not heading or expected.kind == "text" else "right")
    marked = set(detail.differing)
    count = len(expected.values)
    if expected.kind == given.kind == "text":
        count = max(count, len(given.values))
        marked = {n for n in range(count) if expected.values[n : n + 1] != given.values[n : n + 1]}
    wrong = [n for n in range(count) if n in marked or count == 1]
    rest = [n for n in range(count) if n not in wrong]
    for n in sorted((wrong + rest)[:ROWS_SHOWN]):
        name = expected.names[n] if n < len(expected.names) else ""
        left, right = side_by_side(
            expected.values[n] if n < len(expected.values) else "", given.values[n] if n < len(given.values) else "missing"
        )
        table.add_row(name, Text(left, "cyan"), Text(right, "red" if n in wrong else ""))
    return table


def _grid(value: Shown, marked: set[int], style: str) -> Text:
    """Format numbers in rows along their last axis, with marked ones in colour."""
    if not value.values:
        return Text("(empty)", "dim")
    width = value.shape[-1] if value.shape else 1
    texts = [rounded(text) for text in value.values[: ROWS_SHOWN * COLUMNS_SHOWN]]
    space = max(len(text) for text in texts)
    grid = Text()
    for n, text in enumerate(texts):
        grid.append(text.rjust(space), style if (n in marked or style == "cyan") else "")
        grid.append("\n" if width and (n + 1) % min(width, COLUMNS_SHOWN) == 0 and n + 1 < len(texts) else "  ")
    if value.cut or len(value.values) > len(texts):
        grid.append("\n...", "dim")
    return grid


def _type_of(value: Shown) -> str:
    if value.shape is None or not value.dtype:
        return ""
    return f"  {value.dtype}[{', '.join(map(str, value.shape))}]"


def _short(value: Shown) -> str:
    if value.shape is None and len(value.values) == 1:
        return rounded(value.values[0])
    shape = value.shape if value.shape is not None else (len(value.values),)
    return nested([rounded(text) for text in value.values], shape, COLUMNS_SHOWN)


def _printed(title: str, text: str) -> RenderableType:
    lines = text.rstrip("\n").split("\n")
    shown = "\n".join(lines[:ROWS_SHOWN]) + ("\n..." if len(lines) > ROWS_SHOWN else "")
    return Group(Text(title, "dim"), Padding(Text(shown, "italic"), (0, 0, 0, 2), expand=False))


def rounded(text: str, digits: int = 6) -> str:
    """Format a number with a limited number of significant digits and a proper minus sign."""
    try:
        value = float(text)
    except ValueError:
        return text
    if text.lstrip("-").isdigit():
        return text.replace("-", MINUS)
    return number(value, digits).replace("-", MINUS)


def side_by_side(expected: str, given: str) -> tuple[str, str]:
    """Format two numbers with as few digits as still show their difference. Other text is returned unchanged."""
    try:
        left, right = pair(float(expected), float(given))
    except ValueError:
        return expected, given
    return left.replace("-", MINUS), right.replace("-", MINUS)
