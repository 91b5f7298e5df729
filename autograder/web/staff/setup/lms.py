"""The LMS of a course: what is connected, what became of each score, and which link opens which exercise."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from autograder.courses import rights
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership
from autograder.courses.rights import Right
from autograder.lti.connection_settings import context_update, scores_send_again
from autograder.lti.launch.contexts import context_disconnect, link_choose
from autograder.lti.models import Context, OutgoingScore, ResourceLink
from autograder.lti.sending.sent_scores import MAX_SHOWN, ContextStatus, statuses_of
from autograder.web import numbers
from autograder.web.access import SignedIn, number_in
from autograder.web.staff.access import page_context, staff_only


class SendingForm(forms.Form):
    """How scores are sent to one course of an LMS."""

    sends_zeros = forms.BooleanField(
        label="Send 0 points for missing work",
        help_text="After the due date, for students who never submitted anything.",
        required=False,
    )
    lateness_by_lms = forms.BooleanField(
        label="The LMS deducts points for late work",
        help_text="Points are sent without the late deduction of Gradus, with the time of the submission.",
        required=False,
    )


class ExerciseField(forms.ModelChoiceField):  # type: ignore[type-arg]  # Django's class takes no type
    def label_from_instance(self, obj: Assignment) -> str:
        return obj.title


class LinkForm(forms.Form):
    """Which exercise a link of the LMS opens."""

    assignment = ExerciseField(Assignment.objects.none(), required=False, empty_label="The course")

    def __init__(self, data: Any = None, *, link: ResourceLink, assignments: QuerySet[Assignment]) -> None:
        super().__init__(data, prefix=f"link-{link.pk}", initial={"assignment": link.assignment_id})
        self.link = link
        field = self.fields["assignment"]
        assert isinstance(field, ExerciseField)
        field.queryset = assignments
        field.label = f"“{link}” opens"


@dataclass(frozen=True)
class ConnectionPanel:
    """A connected course of an LMS with its forms."""

    status: ContextStatus
    sending: SendingForm
    links: list[LinkForm]

    @property
    def number(self) -> str:
        """Tells its headings from those of another connection."""
        return str(self.status.context.pk)


@staff_only(Right.SEE)
@require_http_methods(["GET", "HEAD", "POST"])
def lms(request: SignedIn, staff: Membership) -> HttpResponse:
    if request.method == "POST":
        rights.require(staff, Right.SET_UP, staff.course)
        act = ACTS.get(request.POST.get("act", ""))
        if act is None:
            raise Http404("no such action")
        messages.success(request, act(request, staff, _context(request, staff)))
        return redirect("lms", staff.course.slug)
    assignments = _assignments(staff)
    context = page_context(staff, "gradebook") | {
        "panels": [_panel(status, assignments) for status in statuses_of(staff)],
        "may_change": rights.has(staff, Right.SET_UP),
        "max_shown": MAX_SHOWN,
    }
    return render(request, "web/staff/setup/lms.html", context)


def _panel(status: ContextStatus, assignments: QuerySet[Assignment]) -> ConnectionPanel:
    initial = {name: getattr(status.context, name) for name in SendingForm.base_fields}
    links = [LinkForm(link=link, assignments=assignments) for link in status.links]
    return ConnectionPanel(status, SendingForm(initial=initial, auto_id=f"id_{status.context.pk}_%s"), links)


def _assignments(staff: Membership) -> QuerySet[Assignment]:
    return Assignment.objects.filter(course=staff.course_id, removed_at=None)


def _context(request: SignedIn, staff: Membership) -> Context:
    contexts = Context.objects.filter(course=staff.course_id).select_related("course", "deployment__registration")
    found = contexts.filter(pk=number_in(request.POST.get("context", "")) or 0).first()
    if found is None:
        raise Refused("This course of the LMS is not connected any more.")
    return found


def _send_again(request: SignedIn, staff: Membership, context: Context) -> str:
    """Send one score again, or all of them without a number."""
    if "score" not in request.POST:
        number = scores_send_again(context=context, by=staff)
        return f"{numbers.quantity(number, 'score')} will be sent again."
    scores = OutgoingScore.objects.filter(line_item__context=context)
    score = scores.filter(pk=number_in(request.POST.get("score", "")) or 0).first()
    if score is None:
        raise Refused("This score is not sent any more.")
    scores_send_again(context=context, by=staff, score=score)
    return "The score will be sent again."


def _settings(request: SignedIn, staff: Membership, context: Context) -> str:
    form = SendingForm(request.POST)
    form.is_valid()  # check boxes have no wrong value
    context_update(context=context, by=staff, **form.cleaned_data)
    return "The settings were saved. Scores that change are sent."


def _link(request: SignedIn, staff: Membership, context: Context) -> str:
    link = ResourceLink.objects.filter(context=context, pk=number_in(request.POST.get("link", "")) or 0).first()
    if link is None:
        raise Refused("This link no longer exists.")
    form = LinkForm(request.POST, link=link, assignments=_assignments(staff))
    if not form.is_valid():
        raise Refused("This exercise is no longer in the course. Choose another one.")
    assignment = form.cleaned_data["assignment"]
    link_choose(link=link, assignment=assignment, by=staff)
    return f"“{link}” now opens {assignment.title if assignment else 'the course'}."


def _disconnect(request: SignedIn, staff: Membership, context: Context) -> str:
    if request.POST.get("confirmed") != "yes":
        raise Refused("Nothing was changed. Tick the box to confirm that you want to disconnect the course.")
    context_disconnect(context=context, by=staff)
    return f"{context} is no longer connected. Scores that were sent stay in the LMS."


ACTS: dict[str, Callable[[SignedIn, Membership, Context], str]] = {
    "again": _send_again,
    "settings": _settings,
    "link": _link,
    "disconnect": _disconnect,
}
