"""Where a launch leads: which account, which course, and which page."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from autograder.courses import rights
from autograder.courses.errors import AtField, Refused
from autograder.courses.models import Assignment, Membership, Role, User
from autograder.courses.rights import Right
from autograder.gradebook.grades.scores import score_of
from autograder.lti.errors import LaunchRefused
from autograder.lti.launch import contexts, oidc, people
from autograder.lti.messages import Kind, Message
from autograder.lti.models import Context, Deployment, Launch, ResourceLink
from autograder.submissions.models import Kind as SubmissionKind
from autograder.submissions.models import Submission
from autograder.web.access import SignedIn
from autograder.web.lti import sessions
from autograder.web.lti.refusals import refusals_as_pages

NOT_CONNECTED = (
    "This course of your LMS is not connected with a course of Gradus yet. "
    "Your instructor does that by opening this link once."
)
NOT_YOURS = "You may not see the work of this person."
WITHOUT_WORK = "Your role in this course of the LMS takes no part in its work, so there is nothing to open for you."


def arrive(request: HttpRequest, deployment: Deployment, message: Message) -> HttpResponse:
    """Sign the person of a verified message in, or ask which account is theirs, and go to where the link leads."""
    user = people.account_of(message)
    if user is None:
        if isinstance(request.user, User) or people.may_have_an_account(message):
            return redirect("lti-account", oidc.launch_keep(deployment, message))
        user = people.account_create(message, deployment.registration)
    sessions.begin(request, user, deployment, message)
    return open_target(request, user, deployment, message)


def open_target(request: HttpRequest, user: User, deployment: Deployment, message: Message) -> HttpResponse:
    """Make the person a member and open the page of the link. An instructor first connects the course."""
    context = contexts.context_note(deployment, message)
    role = message.role
    if role is None:
        raise LaunchRefused(WITHOUT_WORK, "a role without work")
    if context.course is None:
        if role != Role.INSTRUCTOR:
            raise LaunchRefused(NOT_CONNECTED, "context not connected")
        return redirect("lti-connect", oidc.launch_keep(deployment, message, user))
    member = contexts.member_arrive(context=context, user=user, role=role)
    link = contexts.link_note(context, message)
    if message.kind == Kind.DEEP_LINKING:
        return redirect("lti-deep-link", oidc.launch_keep(deployment, message, user))
    if message.kind == Kind.REVIEW:
        return _review(member, context, link, message)
    if link is None or link.assignment is None:
        return redirect("overview" if member.role != Role.STUDENT else "home", context.course.slug)
    return redirect("exercise", context.course.slug, link.assignment.slug)


def _review(member: Membership, context: Context, link: ResourceLink | None, message: Message) -> HttpResponse:
    """Open the work of the person whom a submission review names: one's own, or for staff that of a student."""
    assert context.course is not None
    who = message.for_user.user_id if message.for_user else message.sub
    known = people.account_with(message.iss, who)
    student = Membership.objects.filter(course=context.course, user=known).first() if known else None
    assignment = _reviewed_assignment(context, link, message)
    if student is None or assignment is None:
        raise LaunchRefused(
            "Gradus has no work of this person for this column. They may never have opened it from the LMS.",
            "submission review of unknown work",
        )
    if student.pk == member.pk:
        return redirect("history", context.course.slug, assignment.slug)
    if not rights.has(member, Right.SEE, student):
        raise LaunchRefused(NOT_YOURS, "submission review of another student")
    submission = _reviewed_submission(assignment, student)
    if submission is None:
        return redirect("student", context.course.slug, student.pk)
    return redirect("submission", context.course.slug, submission)


def _reviewed_assignment(context: Context, link: ResourceLink | None, message: Message) -> Assignment | None:
    """Return the assignment of the column that is reviewed, or of its link if the column is not known yet."""
    url = message.grades.lineitem if message.grades else ""
    column = context.line_items.filter(url=url).select_related("assignment").first() if url else None
    found = column.assignment if column else link.assignment if link else None
    return found if found is not None and found.removed_at is None else None


def _reviewed_submission(assignment: Assignment, student: Membership) -> int | None:
    """Return the submission that counts, or the latest one while none does."""
    counted = score_of(assignment, student).counted
    if counted is not None:
        return counted.submission_id
    handed_in = Submission.objects.filter(assignment=assignment, membership=student, kind=SubmissionKind.SUBMIT)
    return handed_in.order_by("-id").values_list("id", flat=True).first()


def launch_for(request: HttpRequest, code: str) -> Launch:
    """Return a kept launch of the signed-in person."""
    assert isinstance(request.user, User)
    return oidc.launch_of(code, request.user)


# -- whose account ---------------------------------------------------------------------------------------------------------


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@refusals_as_pages
def choose_account(request: HttpRequest, code: str) -> HttpResponse:
    """Ask a person who is new here, and may have an account, whether to link it or to continue with a new one."""
    kept = oidc.launch_of(code)
    message, registration = oidc.message_in(kept), kept.deployment.registration
    user = request.user if isinstance(request.user, User) else None
    act = request.POST.get("act", "") if request.method == "POST" else ""
    if act == "sign-in":
        return redirect_to_login(request.path)
    words = ""
    if act == "link" and user is not None:
        try:
            people.account_link(message, registration, user)
        except Refused as refused:
            words = refused.message
        else:
            messages.success(request, f"{registration.name} now opens your account {user.username}.")
            return _continue(request, kept, user)
    if act == "new":
        return _continue(request, kept, people.account_of(message) or people.account_create(message, registration))
    known = people.may_have_an_account(message)
    shown = {"message": message, "lms": registration.name, "words": words, "account": user, "known": known}
    return render(request, "web/lti/account.html", shown, status=409 if words else 200)


def _continue(request: HttpRequest, kept: Launch, user: User) -> HttpResponse:
    oidc.launch_use(kept)
    message = oidc.message_in(kept)
    sessions.begin(request, user, kept.deployment, message)
    return open_target(request, user, kept.deployment, message)


# -- which course ----------------------------------------------------------------------------------------------------------


class ConnectForm(forms.Form):
    course = forms.ChoiceField(label="Gradus course", widget=forms.RadioSelect)

    def __init__(self, *args: Any, choices: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["course"].choices = choices  # type: ignore[attr-defined]


NEW, COPY = "+new", "+copy"


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@refusals_as_pages
def connect(request: SignedIn, code: str) -> HttpResponse:
    """Let the instructor of a course of the LMS choose the course of Gradus that it opens."""
    kept = launch_for(request, code)
    message = oidc.message_in(kept)
    if message.role != Role.INSTRUCTOR:
        raise Http404("only for instructors")
    if request.POST.get("act") == "other":
        return _choose_again(request, kept)
    context = contexts.context_note(kept.deployment, message)
    copied = contexts.copied_course(context, message)
    own = contexts.courses_to_connect(request.user)
    choices = [(NEW, f"A new course: {context}"), *((course.slug, course.full_title) for course in own)]
    if copied is not None and copied in own:
        choices.insert(0, (COPY, f"A copy of {copied.full_title}, with its exercises and dates"))
    form = ConnectForm(request.POST or None, choices=choices, initial={"course": choices[0][0]})
    if context.course is None and request.method == "POST" and form.is_valid():
        try:
            _connect(context, request.user, form.cleaned_data["course"], copied)
        except Refused as refused:
            form.add_error(None, refused.message if not isinstance(refused, AtField) else str(refused))
    if context.course is not None:
        return _continue(request, kept, request.user)
    unused = people.is_unused(request.user)
    shown = {"form": form, "context": context, "lms": context.registration.name, "unused": unused}
    return render(request, "web/lti/connect.html", shown)


def _choose_again(request: SignedIn, kept: Launch) -> HttpResponse:
    """Let somebody whose account was created a moment ago sign in to the one that they had before."""
    message = oidc.message_in(kept)
    try:
        people.account_leave(message, by=request.user)
    except Refused as refused:
        messages.error(request, refused.message)
        return redirect(request.path)
    oidc.launch_use(kept)
    logout(request)
    return redirect("lti-account", oidc.launch_keep(kept.deployment, message))


def _connect(context: Context, user: User, chosen: str, copied: Any) -> None:
    if chosen == NEW:
        contexts.course_make(context=context, user=user)
        return
    if chosen == COPY and copied is not None:
        contexts.course_make_copy(context=context, of=copied, user=user)
        return
    course = next(course for course in contexts.courses_to_connect(user) if course.slug == chosen)
    contexts.context_connect(context=context, course=course, by=Membership.objects.get(course=course, user=user))
