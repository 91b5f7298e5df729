"""Template tags and filters: dates, points, numbers, status icons, highlighted Python."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString, mark_safe

from autograder.courses import rights
from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.courses.selectors import is_staff_of
from autograder.judge.files import place_of
from autograder.library import statements
from autograder.library.pages import effort_of
from autograder.library.short_markdown import html_of
from autograder.observability.parts import lost
from autograder.submissions.models import Submission
from autograder.trace.model import Trace
from autograder.web import numbers, timestamps
from autograder.web.access import number_in
from autograder.web.player import render_player

register = template.Library()
register.filter("moment", timestamps.moment)
register.filter("date_and_time", timestamps.date_and_time)
register.filter("day", timestamps.day)
register.filter("until", timestamps.until)
register.filter("points", numbers.points)
register.filter("short", numbers.short)
register.filter("minus", numbers.minus)
register.filter("took", timestamps.took)
register.filter("effort", effort_of)

GLYPHS = {
    "passed": ("passed", "g-pass", "passed"),
    "partial": ("partial", "g-part", "partly passed"),
    "failed": ("failed", "g-fail", "failed"),
    "error": ("failed", "g-fail", "did not run"),
    "waiting": ("waiting", "g-wait", "waiting"),
    "run": ("waiting", "g-run", "run"),
    "held": ("waiting", "g-lock", "not shown yet"),
    "internal": ("internal", "g-int", "internal error"),
    "idle": ("idle", "g-none", "not started"),
}


@register.filter
def short_markdown(text: str) -> SafeString:
    return mark_safe(html_of(text))  # noqa: S308 - sanitised


@register.filter
def get(known: Mapping[Any, object], key: object) -> object:
    return known.get(key)


@register.filter
def line_words(submission: Submission, line: int) -> str:
    """A line of a submission: "line 3", or "ops.py, line 3" of several files."""
    return str(place_of(bytes(submission.source), line))


@register.filter
def line_name(submission: Submission, line: int) -> str:
    """The same at the beginning of a sentence."""
    words = line_words(submission, line)
    return f"L{words[1:]}" if words == f"line {line}" else words


@register.simple_tag
def glyph(state: str, label: str | None = None, extra: str = "") -> SafeString:
    """Render the icon of a state. With an empty label it is decorative, because the text is beside it."""
    css, symbol, word = GLYPHS[state]
    if label == "":
        return format_html('<svg class="g {} {}" aria-hidden="true"><use href="#{}"/></svg>', css, extra, symbol)
    return format_html(
        '<svg class="g {} {}" role="img" aria-label="{}"><use href="#{}"/></svg>', css, extra, label or word, symbol
    )


@register.filter
def teaches(membership: object) -> bool:
    """Whether the value is a staff membership. Pages without a membership pass something else."""
    return isinstance(membership, Membership) and is_staff_of(membership)


@register.filter
def may(staff: Membership, right: str) -> bool:
    return rights.has(staff, Right[right])


@register.simple_tag
def active_zone() -> str:
    """The name of the active time zone."""
    return timestamps.zone_name(timezone.get_current_timezone())


@register.filter
def verdict_class(state: str) -> str:
    """The CSS class of a state."""
    return GLYPHS[state][0]


@register.simple_tag
def when(at: datetime, seconds: bool = False) -> SafeString:
    """Render a date as a <time> element."""
    shown = timestamps.moment(at, seconds=seconds)
    return format_html('<time datetime="{}">{}</time>', at.isoformat(timespec="seconds"), shown)


@register.simple_tag(takes_context=True)
def player(context: template.Context, trace: Trace, submission: Submission) -> SafeString:
    """Render the backward pass of a check. Without JavaScript, links select a step: `?s=12&check=example&step=3`."""
    request = context["request"]
    step = request.GET.get("step", "") if request.GET.get("check") == trace.check else ""
    home = context.get("steps_at") or reverse(
        "exercise", args=(submission.assignment.course.slug, submission.assignment.slug)
    )
    return render_player(
        trace,
        trace_id=trace.check,
        base_url=f"{home}?{urlencode({'s': str(submission.pk), 'check': trace.check})}",
        step=number_in(step),
        unfold="unfold" in request.GET,
    )


class PartNode(template.Node):
    """Renders its content or, if that fails, a sentence in its place."""

    def __init__(self, what: str, content: template.NodeList) -> None:
        self.what, self.content = what, content

    def render(self, context: template.Context) -> SafeString:
        try:
            return self.content.render(context)
        except Exception as error:
            return format_html('<p class="note">{}</p>', lost(self.what, error))


@register.tag
def part(parser: template.base.Parser, token: template.base.Token) -> PartNode:
    """`{% part "The comparison" %}...{% endpart %}`: stored parts of a submission, which must not make a page fail."""
    _, what = token.split_contents()
    content = parser.parse(("endpart",))
    parser.delete_first_token()
    return PartNode(what.strip('"'), content)


@register.filter
def python_lines(source: str) -> list[SafeString]:
    """Highlight Python source, line by line."""
    html = statements.python_html(source.expandtabs(4))
    return [mark_safe(line) for line in html.split("\n")]  # noqa: S308 - escaped by python_html


@dataclass(frozen=True)
class UnitBar:
    x: int
    y: float
    height: float
    state: str


@register.filter
def unit_bars_width(steps: int) -> int:
    return steps * 11


@register.filter
def unit_bars(unit: Any) -> list[UnitBar]:
    """The steps of a unit as the bars of a small staircase."""
    rise = 18 / max(1, len(unit.exercises))
    heights = [round(8 + rise * (n + 1), 1) for n in range(len(unit.exercises))]
    states = {"passed": "won", "partial": "some"}
    return [
        UnitBar(n * 11, round(26 - height, 1), height, states.get(step.state, "open"))
        for n, (step, height) in enumerate(zip(unit.exercises, heights, strict=True))
    ]
