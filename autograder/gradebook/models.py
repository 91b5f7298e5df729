"""Decisions of staff about grades, which override or complement the computed scores."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from autograder.courses.models import Assignment, Course, Criterion, Membership, User
from autograder.submissions.models import Batch, Grading, Submission


class ScoreImport(models.Model):
    """Scores that were imported together from a file and can be undone together."""

    course = models.ForeignKey(Course, on_delete=models.PROTECT, related_name="score_imports")
    file_name = models.CharField(max_length=100)
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering: ClassVar = ("-id",)

    def __str__(self) -> str:
        return f"{self.file_name} in {self.course}"


class Override(models.Model):
    """A score that replaces the computed one until it is undone. Overrides are never deleted.

    An imported override refers to its import and to the override that it replaced, so that undoing the import restores that
    one.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="overrides")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="overrides")
    points = models.DecimalField(max_digits=7, decimal_places=2)
    reason = models.CharField(max_length=500)
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    score_import = models.ForeignKey(ScoreImport, on_delete=models.PROTECT, null=True, blank=True, related_name="scores")
    replaced = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering: ClassVar = ("id",)
        constraints = (
            models.UniqueConstraint(
                fields=("assignment", "membership"), name="one_override_stands", condition=Q(undone_at=None)
            ),
            models.CheckConstraint(condition=Q(points__gte=0), name="override_is_not_negative"),
        )

    def __str__(self) -> str:
        return f"{self.points} for {self.membership}, {self.assignment.slug}"


class Excuse(models.Model):
    """An assignment that does not count for one student, until the excuse is withdrawn. Excuses are never deleted."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="excuses")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="excuses")
    reason = models.CharField(max_length=500)
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering: ClassVar = ("id",)
        constraints = (
            models.UniqueConstraint(
                fields=("assignment", "membership"), name="one_excuse_stands", condition=Q(withdrawn_at=None)
            ),
        )

    def __str__(self) -> str:
        return f"{self.membership} excused from {self.assignment.slug}"


class Marking(models.Model):
    """The points that a staff member gave to a submission by hand, until they are replaced. Markings are never deleted."""

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="markings")
    remark = models.CharField(max_length=2000, blank=True, help_text="Shown to the student.")
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    replaced_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("submission",), name="one_marking_stands", condition=Q(replaced_at=None)),
        )

    def __str__(self) -> str:
        return f"marking of #{self.submission_id}"


class Mark(models.Model):
    """The points for one criterion."""

    marking = models.ForeignKey(Marking, on_delete=models.CASCADE, related_name="marks")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="marks")
    points = models.DecimalField(max_digits=7, decimal_places=2)

    class Meta:
        ordering: ClassVar = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("marking", "criterion"), name="one_mark_for_a_criterion"),
            models.CheckConstraint(condition=Q(points__gte=0), name="mark_is_not_negative"),
        )

    def __str__(self) -> str:
        return f"{self.points} for {self.criterion.title}"


class UnitRule(models.Model):
    """How a unit contributes to the total: its weight, and how many of its lowest scores are dropped."""

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="unit_rules")
    unit = models.CharField(max_length=200)
    weight = models.DecimalField(
        max_digits=6, decimal_places=2, null=True, blank=True, help_text="Empty: the unit counts by its points."
    )
    drop_lowest = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("course", "unit"), name="one_rule_for_a_unit"),)

    def __str__(self) -> str:
        return f"{self.unit} of {self.course}"


class Freeze(models.Model):
    """A frozen gradebook: these points are shown, regardless of later gradings and decisions, until it is lifted."""

    course = models.ForeignKey(Course, on_delete=models.PROTECT, related_name="freezes")
    at = models.DateTimeField(auto_now_add=True)
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    points = models.JSONField(help_text="Points by membership and assignment, as text or null.")
    basis = models.JSONField(
        null=True,
        blank=True,
        help_text="Everything else that totals depend on: maximum points, due dates and unit rules.",
    )
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("course",), name="one_freeze_stands", condition=Q(lifted_at=None)),)

    def __str__(self) -> str:
        return f"freeze of {self.course}"


class NamedMistake(models.Model):
    """The name that staff gave to answers that no known mistake explains: these exact values in one check. It never changes
    points."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="named_mistakes")
    answer = models.CharField(max_length=32, help_text="A digest of the check and the answer.")
    check_id = models.CharField(max_length=200)
    name = models.CharField(max_length=80)
    words = models.CharField(max_length=300, blank=True)
    named_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    named_at = models.DateTimeField(auto_now_add=True)
    taken_back_at = models.DateTimeField(null=True, blank=True)
    taken_back_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering: ClassVar = ("id",)
        constraints = (
            models.UniqueConstraint(
                fields=("assignment", "answer"), name="one_name_for_an_answer", condition=Q(taken_back_at=None)
            ),
        )

    def __str__(self) -> str:
        return f"{self.name}, in {self.assignment.slug}"


class RegradeRequest(models.Model):
    """A student's claim that a verdict on their submission is wrong, and the answer of staff.

    It contains text by the student, so it is deleted with the submission.
    """

    class State(models.TextChoices):
        OPEN = "open", "Open"
        WITHDRAWN = "withdrawn", "Withdrawn"
        DECLINED = "declined", "Result kept"
        REGRADE = "regrade", "Graded again"
        POINTS = "points", "Points set by hand"

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="regrade_requests")
    grading = models.ForeignKey(
        Grading, on_delete=models.CASCADE, related_name="+", help_text="The verdict that counted when the request was made."
    )
    check_id = models.CharField(max_length=200, blank=True, help_text="Empty: the request is about the whole verdict.")
    check_title = models.CharField(max_length=200, blank=True, help_text="The title that the student saw.")
    text = models.TextField()
    asked_at = models.DateTimeField()
    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    ended_at = models.DateTimeField(null=True, blank=True)
    answer = models.TextField(blank=True)
    answered_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, null=True, blank=True, related_name="regrade_requests")
    override = models.ForeignKey(Override, on_delete=models.PROTECT, null=True, blank=True, related_name="regrade_requests")

    class Meta:
        ordering: ClassVar = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("submission",), name="one_open_request", condition=Q(state="open")),
            models.CheckConstraint(
                condition=Q(state="open", ended_at=None) | Q(~Q(state="open"), ended_at__isnull=False),
                name="request_is_open_until_it_ends",
            ),
        )

    def __str__(self) -> str:
        return f"regrade request {self.pk} about #{self.submission_id}"

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN

    @property
    def is_answered(self) -> bool:
        return self.answered_by_id is not None
