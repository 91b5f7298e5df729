"""Renders a trace as text, one line per step, for terminals and for pages without a graph."""

from autograder.judge.text import number
from autograder.trace.model import Event, Term, Terms, Trace

MINUS, TIMES, WRONG, FOLLOWS = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}", "\N{MULTIPLICATION X}", "\N{MIDDLE DOT}"


def lines(trace: Trace) -> list[str]:
    """One line per event. Wrong steps are marked and followed by the expected numbers and the reason."""
    steps = [line(event) for event in trace.events]
    return [*steps, "(some steps are omitted)"] if trace.cut else steps


def line(event: Event) -> str:
    mark = f"{WRONG} " if event.wrong else f"{FOLLOWS} " if event.follows else ""
    given = chain(event.given)
    right = chain(event.expected)
    text = f"{mark}{event.says}"
    flagged = event.wrong or event.follows
    shown = right if event.given is None and not flagged else given
    text += f": {shown}" if shown else ""
    text += f" (should be {right})" if flagged and right and right != shown else ""
    if event.line is not None:
        text += f", line {event.line}"
    return f"{text}. {reason(event)}" if event.wrong and event.reason else text


def reason(event: Event) -> str:
    """The reason why a step is wrong, with typographic minus signs."""
    return with_minus(event.reason)


def chain(terms: Terms | None) -> str:
    """`−2 × 3 = −6`, `0 + −6 = −6`, or the part of it that is known."""
    if terms is None:
        return ""
    if terms.old is not None and terms.contribution is not None and terms.now is not None and terms.local is None:
        return f"{shown(terms.old)} + {shown(terms.contribution)} = {shown(terms.now)}"
    if terms.contribution is not None:
        left = [shown(term) for term in (terms.upstream, terms.local) if term is not None]
        result = shown(terms.contribution)
        return f"{f' {TIMES} '.join(left)} = {result}" if len(left) == 2 else result
    if terms.now is not None:
        return shown(terms.now) if terms.old is None else f"{shown(terms.old)} becomes {shown(terms.now)}"
    return ""


def shown(term: Term) -> str:
    """A number with at most six digits; the trace itself keeps all of them."""
    shape = "" if term.shape is None else f" {list(term.shape)}"
    return with_minus(_rounded(term.text)) + shape


def _rounded(text: str) -> str:
    try:
        return number(float(text))
    except ValueError:
        return text


def with_minus(text: str) -> str:
    """Replaces the hyphen before a number with a minus sign."""
    return "".join(
        MINUS if character == "-" and text[n + 1 : n + 2].isdigit() and not text[max(0, n - 1) : n].isalnum() else character
        for n, character in enumerate(text)
    )
