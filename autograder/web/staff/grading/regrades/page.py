"""Pages of regrades: list, new regrade, progress, preview of the changed grades, and the decision."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from autograder.courses import rights
from autograder.courses.errors import Refused
from autograder.courses.models import AuditEntry, Membership
from autograder.courses.rights import Right
from autograder.gradebook.grades.frozen import frozen_since
from autograder.gradebook.regrades import regrade_undo, regrading
from autograder.submissions import regrades as service
from autograder.submissions.models import Batch, Submission, Work
from autograder.submissions.regrades import RegradeProgress
from autograder.submissions.selectors import living_workers
from autograder.web import timestamps
from autograder.web.access import SignedIn
from autograder.web.staff.access import staff_only
from autograder.web.staff.grading.regrades.form import RegradeForm
from autograder.web.staff.grading.regrades.preview import rows_of, rows_of_entries, summary_of

AT_ONCE = 50


@staff_only(Right.REGRADE)
@require_safe
def regrades(request: SignedIn, staff: Membership) -> HttpResponse:
    batches = Batch.objects.filter(course=staff.course).select_related("created_by").order_by("-id")
    batches = batches.annotate(
        wanted=Count("work"), ended=Count("work", filter=Q(work__state__in=(Work.State.DONE, Work.State.FAILED)))
    )
    page = Paginator(batches, AT_ONCE).get_page(request.GET.get("page"))
    return render(
        request, "web/staff/grading/regrades/regrades.html", {"course": staff.course, "here": "gradebook", "page": page}
    )


@staff_only(Right.REGRADE)
@require_http_methods(["GET", "HEAD", "POST"])
def new_regrade(request: SignedIn, staff: Membership) -> HttpResponse:
    if request.method != "POST":
        return _form(request, staff, RegradeForm(staff.course, initial=request.GET.dict()))
    form = RegradeForm(staff.course, request.POST)
    if not form.is_valid():
        return _form(request, staff, form, status=422)
    given = form.cleaned_data
    numbers = given["submissions"]
    try:
        batch = service.start(
            course=staff.course,
            by=staff,
            reason=given["reason"],
            submissions=Submission.objects.filter(pk__in=numbers) if numbers else None,
            assignment=given["assignment"],
            version=given["version"],
            may_lower=given["may_lower"],
        )
    except Refused as refused:
        form.add_error(None, refused.message)
        return _form(request, staff, form, status=409)
    return redirect("regrade", staff.course.slug, batch.pk)


def _form(request: SignedIn, staff: Membership, form: RegradeForm, status: int = 200) -> HttpResponse:
    context = {"course": staff.course, "here": "gradebook", "form": form}
    return render(request, "web/staff/grading/regrades/new_regrade.html", context, status=status)


@staff_only(Right.GRADE_AGAIN)
@require_http_methods(["GET", "HEAD", "POST"])
def regrade(request: SignedIn, staff: Membership, batch: int) -> HttpResponse:
    wanted = _batch_for(staff, batch)
    if request.method == "POST":
        return _decide(request, staff, wanted)
    progress = service.progress(wanted)
    context = _about(staff, wanted, progress)
    if wanted.state == Batch.State.PREVIEW and progress.ready:
        context |= _preview(request, wanted)
    if wanted.state != Batch.State.PREVIEW:
        context |= _decided(request, wanted)
    return render(request, "web/staff/grading/regrades/regrade.html", context)


@staff_only(Right.GRADE_AGAIN)
@require_safe
def regrade_progress(request: SignedIn, staff: Membership, batch: int) -> HttpResponse:
    """The progress part of the page, which is polled. Reloads the whole page once grading has ended."""
    wanted = _batch_for(staff, batch)
    progress = service.progress(wanted)
    response = render(request, "web/staff/grading/regrades/progress.html", _about(staff, wanted, progress))
    if progress.ready or wanted.state != Batch.State.PREVIEW:
        response["HX-Refresh"] = "true"
    return response


def _batch_for(staff: Membership, number: int) -> Batch:
    batch = Batch.objects.filter(pk=number, course=staff.course).select_related("course", "created_by").first()
    if batch is None or not may_open(staff, batch):
        raise Http404("no such regrade, or not for this person")
    return batch


def may_open(staff: Membership, batch: Batch) -> bool:
    """Instructors may open every regrade. Assistants may open those they started, if they may still see all students
    concerned.
    """
    if rights.has(staff, Right.REGRADE):
        return True
    if batch.created_by_id != staff.user_id:
        return False
    whose = Membership.objects.filter(submissions__work__batch=batch).distinct()
    return all(rights.has(staff, Right.GRADE_AGAIN, membership) for membership in whose)


def _about(staff: Membership, batch: Batch, progress: RegradeProgress) -> dict[str, Any]:
    ended = progress.done + progress.failed
    took = (batch.ended_at or timezone.now()) - batch.created_at
    return {
        "course": staff.course,
        "here": "gradebook",
        "batch": batch,
        "progress": progress,
        "ended": ended,
        "running": batch.state == Batch.State.PREVIEW and not progress.ready,
        "took": timestamps.span(took),
        "nobody": not living_workers().exists(),
        "may_decide": rights.has(staff, Right.REGRADE),
        "frozen": frozen_since(batch.course_id),
        "may_list": rights.has(staff, Right.REGRADE),
    }


def _preview(request: SignedIn, batch: Batch) -> dict[str, Any]:
    changes = regrading.preview(batch)
    page = Paginator([change for change in changes if change.changed], AT_ONCE).get_page(request.GET.get("page"))
    versions = batch.work.values_list("version__exercise__slug", "version__hash").distinct().order_by("version__hash")
    return {
        "summary": summary_of(changes),
        "page": page,
        "rows": rows_of(list(page.object_list)),
        "versions": list(versions),
    }


def _decided(request: SignedIn, batch: Batch) -> dict[str, Any]:
    entries = AuditEntry.objects.filter(course=batch.course, batch_number=batch.pk, action="grade-changed")
    back = entries.filter(details__taken_back=True)
    entries = back if batch.state == Batch.State.UNDONE else entries.exclude(pk__in=back)
    end = AuditEntry.objects.filter(course=batch.course, batch_number=batch.pk, action=f"regrade-{batch.state}")
    entries = entries.select_related("membership__user", "assignment")
    made = Paginator(entries.order_by("id"), AT_ONCE).get_page(request.GET.get("page"))
    return {
        "made": made,
        "rows": rows_of_entries(batch, list(made.object_list)),
        "end": end.select_related("actor").first(),
        "may_undo": regrade_undo.may_undo(batch),
        "longest": service.MAX_REASON,
    }


def _decide(request: SignedIn, staff: Membership, batch: Batch) -> HttpResponse:
    rights.require(staff, Right.REGRADE, staff.course)
    act = request.POST.get("act", "")
    if act in ("gains", "all"):
        made = regrading.commit(batch, by=staff, lower=act == "all")
        word = "grade" if len(made) == 1 else "grades"
        messages.success(request, f"The regrade was applied: {len(made) or 'no'} {word} changed.")
    elif act == "discard":
        service.discard(batch, by=staff)
        messages.success(request, "The preview was discarded. No grade changed.")
    elif act == "take-back":
        back = regrade_undo.undo(batch, by=staff, reason=request.POST.get("reason", ""))
        word = "grade" if len(back) == 1 else "grades"
        messages.success(request, f"The regrade was undone: {len(back) or 'no'} {word} changed.")
    return redirect("regrade", staff.course.slug, batch.pk)
