"""Read-only admin pages for submissions, the queue and gradings. The token of a lease is hidden, because its holder owns the work."""

from typing import ClassVar

from django.contrib import admin
from django.utils.safestring import SafeString

from autograder.library.read_only_admin import Inspection, as_json, preformatted
from autograder.submissions.models import (
    Answer,
    Batch,
    Comment,
    Draft,
    Event,
    Grading,
    Replacement,
    ScratchRun,
    Snapshot,
    Submission,
    Tally,
    Work,
    Worker,
)

OF_A_SUBMISSION = ("membership__user", "membership__course", "assignment__course")
THROUGH = tuple(f"submission__{name}" for name in OF_A_SUBMISSION)
SEARCHED = ("submission__membership__user__username", "submission__assignment__slug", "=submission__id")


@admin.register(Submission)
class SubmissionAdmin(Inspection):
    list_display = ("id", "membership", "assignment", "kind", "submitted_at")
    list_filter = ("kind", "assignment__course")
    list_select_related = OF_A_SUBMISSION
    search_fields = ("membership__user__username", "assignment__slug", "=id")
    date_hierarchy = "submitted_at"
    fields = ("assignment", "membership", "kind", "submitted_at", "as_handed_in")
    readonly_fields = ("as_handed_in",)
    unread: ClassVar = ("source",)

    @admin.display(description="source")
    def as_handed_in(self, submission: Submission) -> SafeString:
        return preformatted(bytes(submission.source).decode("utf-8", "backslashreplace"))


@admin.register(Work)
class WorkAdmin(Inspection):
    list_display = (
        "id",
        "submission",
        "lane",
        "state",
        "tries",
        "worker",
        "queued_at",
        "lease_until",
        "ended_at",
        "trouble",
    )
    list_filter = ("state", "lane", "course")
    list_select_related = ("course", *THROUGH)
    search_fields = (*SEARCHED, "worker")
    exclude = ("token",)
    unread: ClassVar = ("submission__source",)


@admin.register(Replacement)
class ReplacementAdmin(Inspection):
    list_display = ("id", "batch", "before", "after")
    list_filter = ("batch__course",)
    list_select_related = ("batch__course", "before", "after")
    search_fields = ("after__submission__membership__user__username", "=batch__id")
    unread: ClassVar = (
        "before__report",
        "before__diagnosis",
        "before__traces",
        "after__report",
        "after__diagnosis",
        "after__traces",
    )


@admin.register(Grading)
class GradingAdmin(Inspection):
    list_display = ("id", "submission", "verdict", "score", "max_score", "current", "why", "seconds", "worker", "graded_at")
    list_filter = ("verdict", "current", "why", "judge_version", "submission__assignment__course")
    list_select_related = THROUGH
    search_fields = (*SEARCHED, "worker", "version__hash")
    date_hierarchy = "graded_at"
    exclude = ("report", "diagnosis", "traces")
    readonly_fields = ("whole_report", "explained", "traced")
    unread: ClassVar = ("report", "diagnosis", "traces", "submission__source")

    @admin.display(description="report")
    def whole_report(self, grading: Grading) -> SafeString:
        return as_json(grading.report)

    @admin.display(description="diagnosis")
    def explained(self, grading: Grading) -> SafeString:
        return as_json(grading.diagnosis)

    @admin.display(description="traces")
    def traced(self, grading: Grading) -> SafeString:
        return as_json(grading.traces)


@admin.register(Answer)
class AnswerAdmin(Inspection):
    list_display = ("criterion", "membership", "submission", "file_name", "saved_at")
    list_filter = ("criterion__assignment__course",)
    list_select_related = ("criterion__assignment", "membership__user", "membership__course", *THROUGH)
    search_fields = ("membership__user__username", "criterion__title", "=submission__id")
    exclude = ("pdf",)
    unread: ClassVar = ("pdf", "text", "submission__source")


@admin.register(Draft)
class DraftAdmin(Inspection):
    list_display = ("assignment", "membership", "number", "saved_at")
    list_filter = ("assignment__course",)
    list_select_related = ("assignment__course", "membership__user", "membership__course")
    search_fields = ("membership__user__username", "assignment__slug")
    unread: ClassVar = ("source", "replaced")


@admin.register(ScratchRun)
class ScratchRunAdmin(Inspection):
    """Shows an operator the state of scratch runs. Their code and answer are visible to their owner only."""

    list_display = ("id", "membership", "assignment", "state", "tries", "worker", "asked_at", "lease_until", "ended_at")
    list_filter = ("state", "assignment__course")
    list_select_related = ("assignment__course", "membership__user", "membership__course")
    search_fields = ("membership__user__username", "assignment__slug", "worker", "=id")
    exclude = ("source", "calls", "answer", "token")
    unread: ClassVar = ("source", "calls", "answer")


@admin.register(Comment)
class CommentAdmin(Inspection):
    list_display = ("submission", "line", "author", "made_at", "removed_at")
    list_filter = ("submission__assignment__course",)
    list_select_related = (*THROUGH, "author")
    search_fields = ("=submission__id", "author__username", "text")
    unread: ClassVar = ("submission__source",)


@admin.register(Batch)
class BatchAdmin(Inspection):
    list_display = ("id", "course", "state", "reason", "may_lower", "created_by", "created_at", "ended_at")
    list_filter = ("state", "course")
    list_select_related = ("course", "created_by")
    search_fields = ("reason",)


@admin.register(Worker)
class WorkerAdmin(Inspection):
    list_display = ("name", "version", "started_at", "seen_at", "graded", "sandboxes")
    search_fields = ("name",)


@admin.register(Event)
class EventAdmin(Inspection):
    list_display = ("at", "submission", "name", "data")
    list_filter = ("name",)
    list_select_related = THROUGH
    search_fields = ("=submission__id",)
    unread: ClassVar = ("submission__source",)


@admin.register(Tally)
class TallyAdmin(Inspection):
    list_display = ("counter", "label", "process", "value")
    list_filter = ("counter",)
    search_fields = ("counter", "label", "process")


@admin.register(Snapshot)
class SnapshotAdmin(Inspection):
    list_display = ("at",)
    unread: ClassVar = ("counts",)
    fields = ("at", "counts")
    search_fields = ("=id",)
