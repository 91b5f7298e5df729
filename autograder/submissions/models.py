"""Submissions, the work to grade them, and the gradings of the judge.

A submission never changes. Work is done by the worker that holds its lease. Gradings are kept, and at most one per
submission counts.
"""

import socket
from typing import ClassVar

from django.db import models
from django.db.models import Q

from autograder.courses.models import Assignment, Course, Criterion, Membership, User
from autograder.judge.report import Report
from autograder.library.models import ExerciseVersion


class Kind(models.TextChoices):
    RUN = "run", "Run"
    SUBMIT = "submit", "Submit"


class Submission(models.Model):
    """A file that a student submitted for an assignment. A run only tries the public checks and never counts."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="submissions")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="submissions")
    kind = models.CharField(max_length=6, choices=Kind, default=Kind.SUBMIT)
    source = models.BinaryField()
    submitted_at = models.DateTimeField(db_index=True)
    once = models.CharField(
        max_length=32,
        blank=True,
        help_text="Identifies a button press and its content, so that pressing twice submits once.",
    )

    class Meta:
        indexes = (
            models.Index(fields=("assignment", "membership", "-id"), name="history_of_a_student"),
            # A covering index for the gradebook: it avoids reading the sources.
            models.Index(fields=("membership", "assignment", "kind", "submitted_at"), name="handed_in"),
        )
        constraints = (models.UniqueConstraint(fields=("membership", "once"), name="pressed_once", condition=~Q(once="")),)

    def __str__(self) -> str:
        return f"#{self.pk} {self.membership}, {self.assignment.slug}"


class Draft(models.Model):
    """The text in a student's editor. `number` increases with every save, so that concurrent devices are detected."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="drafts")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="drafts")
    source = models.TextField(blank=True)
    number = models.PositiveIntegerField(default=1)
    saved_at = models.DateTimeField()
    replaced = models.TextField(blank=True, help_text="The text before a submission was restored.")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("assignment", "membership"), name="one_draft_each"),)

    def __str__(self) -> str:
        return f"draft of {self.membership}, {self.assignment.slug}"


class Answer(models.Model):
    """What a student wrote for a criterion that asks for it. It is a draft until it is handed in with a submission, and counts
    for later ones as well, until another one replaces it."""

    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="answers")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="answers")
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, null=True, related_name="answers")
    text = models.TextField(blank=True)
    pdf = models.BinaryField(null=True)
    file_name = models.CharField(max_length=100, blank=True)
    saved_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ("id",)
        constraints = (
            models.UniqueConstraint(
                fields=("criterion", "membership"), name="one_draft_of_an_answer", condition=Q(submission=None)
            ),
            models.UniqueConstraint(fields=("criterion", "submission"), name="one_answer_in_a_submission"),
        )

    def __str__(self) -> str:
        return f"answer of {self.membership} to {self.criterion}"

    @property
    def says_something(self) -> bool:
        return bool(self.text.strip() or self.file_name)


class Comment(models.Model):
    """A comment of staff on a submission or on one of its lines. A removed comment is kept, but hidden."""

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="comments")
    line = models.PositiveIntegerField(null=True, blank=True)
    text = models.TextField()
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ("id",)

    def __str__(self) -> str:
        return f"{self.author} on #{self.submission_id}"


class Batch(models.Model):
    """Submissions that are regraded together: first as a preview, then applied or discarded."""

    class State(models.TextChoices):
        PREVIEW = "preview", "Preview"
        COMMITTED = "committed", "Applied"
        DISCARDED = "discarded", "Discarded"
        UNDONE = "undone", "Undone"

    course = models.ForeignKey(Course, on_delete=models.PROTECT, related_name="batches")
    reason = models.CharField(max_length=500)
    may_lower = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=State, default=State.PREVIEW)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"regrade {self.pk} of {self.course}"

    @property
    def state_words(self) -> str:
        """The word for the state on every page and in every message."""
        return self.get_state_display().lower()


class Lane(models.IntegerChoices):
    """The priority of work: a lower lane always goes first."""

    RUN = 0, "Run"
    SUBMIT = 1, "Submit"
    REGRADE = 2, "Regrade"


TIMES_TELL_THE_STATE = (
    Q(state="queued", lease_until=None, ended_at=None)
    | Q(state="running", lease_until__isnull=False, ended_at=None)
    | Q(~Q(state__in=("queued", "running")), lease_until=None, ended_at__isnull=False)
)


class Leased(models.Model):
    """What a worker does under a lease: see `leases`."""

    class State(models.TextChoices):
        QUEUED = "queued", "Waiting"
        RUNNING = "running", "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Internal error"
        SUPERSEDED = "superseded", "Replaced by a newer one"
        DROPPED = "dropped", "Discarded with its preview"

    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    tries = models.PositiveSmallIntegerField(default=0)
    lost = models.PositiveSmallIntegerField(default=0, db_default=0, help_text="Number of tries whose worker disappeared.")
    not_before = models.DateTimeField(
        null=True, blank=True, help_text="Earliest time of the next try, if its worker disappeared."
    )
    worker = models.CharField(max_length=100, blank=True)
    token = models.CharField(
        max_length=32, blank=True, help_text="The secret of the worker that holds the lease; empty without a lease."
    )
    lease_until = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    trouble = models.TextField(blank=True, db_default="", help_text="Why it failed, for staff.")
    request = models.CharField(
        max_length=64,
        blank=True,
        db_default="",
        help_text="The ID of the request that created it, as in all logs about it.",
    )
    traceparent = models.CharField(
        max_length=55, blank=True, db_default="", help_text="The W3C trace context of its spans, if tracing is on."
    )

    class Meta:
        abstract = True


class Work(Leased):
    """A requested grading. The queue is this table, ordered by `lane`, `turn`, `place` and `id`.

    `turn` is the number of unfinished pieces of the same student's work when it was queued, and `place` its place among the
    courses: see `queue`.
    """

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="work")
    version = models.ForeignKey(ExerciseVersion, on_delete=models.PROTECT, related_name="+")
    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, null=True, blank=True, related_name="work")
    course = models.ForeignKey(Course, on_delete=models.PROTECT, related_name="+")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="+")
    lane = models.PositiveSmallIntegerField(choices=Lane)
    turn = models.PositiveIntegerField(default=0)
    place = models.PositiveBigIntegerField(default=0)
    queued_at = models.DateTimeField()

    class Meta:
        # Each query of the queue matches the condition of exactly one index. PostgreSQL's statistics about a queue are
        # always outdated, and given a choice it would pick an index that reads and sorts everything that waits.
        indexes = (
            models.Index(fields=("lane", "turn", "place", "id"), name="the_queue", condition=Q(state="queued")),
            models.Index(
                fields=("course", "lane", "turn", "-place"),
                name="queue_of_a_course",
                condition=Q(ended_at=None, lease_until=None),
            ),
            models.Index(fields=("membership", "lane"), name="waiting_of_a_student", condition=Q(ended_at=None)),
            models.Index(fields=("lease_until",), name="leases", condition=Q(lease_until__isnull=False)),
            models.Index(fields=("-ended_at",), name="given_up", condition=Q(state="failed")),
        )
        constraints = (
            models.UniqueConstraint(fields=("submission",), name="one_live_work", condition=Q(batch=None)),
            models.UniqueConstraint(fields=("batch", "submission"), name="once_in_a_batch", condition=~Q(batch=None)),
            models.CheckConstraint(name="times_tell_the_state", condition=TIMES_TELL_THE_STATE),
        )

    def __str__(self) -> str:
        return f"{self.get_state_display()}: {self.submission}"


UNREADABLE = "unreadable"  # the verdict of a file that Python cannot parse


def stored_verdict(report: Report) -> str:
    """The judge reports a file that Python cannot parse as an error like others, but it uses up no submission."""
    return UNREADABLE if report.reason == "source" else report.verdict


class Grading(models.Model):
    """One verdict on a submission, with everything needed to reproduce it."""

    class Why(models.TextChoices):
        FIRST = "first", "First"
        RETRY = "retry", "Retry"
        REGRADE = "regrade", "Regrade"

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="gradings")
    work = models.OneToOneField(Work, on_delete=models.PROTECT, related_name="grading")
    version = models.ForeignKey(ExerciseVersion, on_delete=models.PROTECT, related_name="gradings")
    current = models.BooleanField(default=False, help_text="Whether this grading counts for the submission.")
    why = models.CharField(max_length=8, choices=Why)
    seed = models.PositiveBigIntegerField()
    verdict = models.CharField(max_length=10)
    score = models.FloatField()
    max_score = models.FloatField()
    seconds = models.FloatField()
    judge_version = models.CharField(max_length=40)
    libraries = models.JSONField(default=dict)
    report = models.JSONField()
    diagnosis = models.JSONField(default=list)
    traces = models.JSONField(default=list)
    introspection = models.JSONField(
        null=True,
        blank=True,
        help_text="Where the file looks at what runs beside it, for staff; null until it was explained.",
    )
    worker = models.CharField(max_length=100)
    graded_at = models.DateTimeField()
    explained_at = models.DateTimeField(null=True, blank=True, help_text="When the explanation was completed.")
    explanation_tries = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="How often a worker started to explain it."
    )
    explanation_tried_at = models.DateTimeField(
        null=True, blank=True, help_text="When a worker last started to explain it later than at once."
    )

    class Meta:
        # A covering index for the gradebook, without the reports. SQLite would prefer the constraint's index, which lacks
        # these columns; a condition written as COUNTING prevents that.
        indexes = (
            models.Index(fields=("submission", "current", "verdict", "score", "max_score"), name="what_counts"),
            models.Index(fields=("graded_at",), name="unexplained", condition=Q(explained_at=None)),
        )
        constraints = (
            models.UniqueConstraint(fields=("submission",), name="one_current_grading", condition=Q(current=True)),
        )
        ordering: ClassVar = ("id",)

    def __str__(self) -> str:
        return f"{self.verdict} {self.score:g} of {self.max_score:g}"

    @property
    def share(self) -> float:
        """The share of the points of its checks."""
        return self.score / self.max_score if self.max_score else 0.0


# The gradings that grades are based on: without internal errors, and without files that Python cannot parse, which use up
# no submission.
COUNTING = ~(Q(current=False) | Q(verdict="internal") | Q(verdict=UNREADABLE))


class Replacement(models.Model):
    """The record that a committed regrade replaced the grading that counts: the new one, and the previous one for undo."""

    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="replacements")
    before = models.ForeignKey(Grading, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    after = models.OneToOneField(Grading, on_delete=models.PROTECT, related_name="replacement")

    class Meta:
        ordering: ClassVar = ("id",)

    def __str__(self) -> str:
        return f"by {self.batch}: {self.after}"


class Event(models.Model):
    """A step of a submission, for pages that follow it if there is no Redis. Old events are deleted."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="events")
    name = models.CharField(max_length=20)
    data = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        indexes = (models.Index(fields=("submission", "id"), name="events_of_a_submission"),)

    def __str__(self) -> str:
        return f"{self.name} of #{self.submission_id}"


class ScratchRun(Leased):
    """Calls that a student ran with their code. Never graded or counted, readable by its owner only, and deleted after an
    hour: see `scratch`."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="+")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="scratch_runs")
    version = models.ForeignKey(ExerciseVersion, on_delete=models.CASCADE, related_name="+")
    source = models.BinaryField(help_text="The content of the editor.")
    calls = models.BinaryField(help_text="The content of the scratch cell.")
    asked_at = models.DateTimeField(db_index=True)
    answer = models.JSONField(
        default=dict, help_text="The result as a `scratch.answer.ScratchAnswer`, which contains only plain text."
    )

    class Meta:
        indexes = (
            models.Index(fields=("membership", "asked_at"), name="scratch_of_a_student"),
            models.Index(fields=("id",), name="scratch_waiting", condition=Q(state="queued")),
            models.Index(fields=("lease_until",), name="scratch_leases", condition=Q(lease_until__isnull=False)),
        )
        constraints = (models.CheckConstraint(name="scratch_times_tell_the_state", condition=TIMES_TELL_THE_STATE),)

    def __str__(self) -> str:
        return f"scratch run {self.pk} of {self.membership}"


class Worker(models.Model):
    """A process that grades, as of its last heartbeat."""

    name = models.CharField(max_length=100, unique=True)
    version = models.CharField(max_length=40)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    graded = models.PositiveBigIntegerField(default=0)
    sandboxes = models.JSONField(default=dict)
    trouble = models.TextField(blank=True, help_text="Why this worker cannot grade, if it cannot.")
    layers = models.JSONField(null=True, blank=True, help_text="The active sandbox layers; null if unknown.")

    @staticmethod
    def name_of(pid: int) -> str:
        """The name of the worker with this process id on this machine."""
        return f"{socket.gethostname()}:{pid}"

    @property
    def pid(self) -> int:
        return int(self.name.rpartition(":")[2])

    def __str__(self) -> str:
        return self.name


class Tally(models.Model):
    """The total of a counter since the site was set up.

    Each process adds to its own rows, so that no process waits for another; the counts of processes that have ended are
    added up under an empty name. See `counters`.
    """

    counter = models.CharField(max_length=40)
    label = models.CharField(max_length=100, blank=True)
    process = models.CharField(max_length=100, blank=True)
    value = models.FloatField(default=0)

    class Meta:
        verbose_name_plural = "tallies"
        constraints = (models.UniqueConstraint(fields=("counter", "label", "process"), name="one_tally_each"),)

    def __str__(self) -> str:
        return f"{self.counter} {self.label} {self.value:g}"


class Snapshot(models.Model):
    """All counters at one moment, from which the statistics of the last hour and day are computed."""

    at = models.DateTimeField(unique=True)
    counts = models.JSONField()

    def __str__(self) -> str:
        return f"tallies of {self.at:%Y-%m-%d %H:%M}"
