"""People, courses, sections, assignments with their deadlines, and the audit trail.

Records that grades refer to are never deleted: memberships and assignments are marked as removed with a date.
"""

from datetime import timedelta
from decimal import Decimal
from typing import Any, ClassVar, NoReturn

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower

from autograder.courses.errors import Refused
from autograder.courses.person_names import full_name, listed_name
from autograder.library.models import ExerciseVersion, Unchanging


class User(AbstractUser):
    """A person. Deadlines are shown in the person's own time zone."""

    time_zone = models.CharField(
        max_length=64, blank=True, default="", help_text="Empty: the one of the browser, or else of each course."
    )
    registered_by_link = models.BooleanField(
        default=False, help_text="Registered with an open invitation link: the email address is not verified."
    )
    access_given_in = models.ForeignKey(
        "Course",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        help_text="The course whose staff created the account or gave access to it, until it joins a course with other staff.",
    )
    password_ended_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="When a password that staff of another course may have known was made invalid.",
    )

    first_password_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="When staff got a first password to hand out. Empty again once the person has chosen another one.",
    )

    class Meta(AbstractUser.Meta):
        constraints = (
            models.UniqueConstraint(
                Lower("email"),
                condition=~Q(email=""),
                name="one_account_for_an_email",
                violation_error_message="Another account has this email address.",
            ),
        )

    def get_full_name(self) -> str:
        return full_name(self.first_name, self.last_name)

    @property
    def display_name(self) -> str:
        """The full name; the login if no name is known."""
        return self.get_full_name() or self.username

    @property
    def listed_name(self) -> str:
        """The name for lists sorted by family name; the login if no name is known."""
        return listed_name(self.first_name, self.last_name) or self.username


class Role(models.TextChoices):
    """The roles in a course, in order of increasing rights."""

    STUDENT = "student", "Student"
    ASSISTANT = "assistant", "Assistant"
    INSTRUCTOR = "instructor", "Instructor"
    OWNER = "owner", "Owner"


class Course(models.Model):
    slug = models.SlugField(unique=True)
    title = models.CharField(max_length=200)
    term = models.CharField(max_length=100, blank=True)
    time_zone = models.CharField(max_length=64, default="UTC")
    supersedes = models.BooleanField(
        default=False, help_text="A newer submission replaces an older one of the same student that is still waiting."
    )
    late_days = models.PositiveSmallIntegerField(
        default=0, help_text="The number of days that each student may be late in total without losing points."
    )
    trial_of = models.ForeignKey(
        "self",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        help_text="The course whose authors try their drafts here. No list of courses has it.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.slug

    @property
    def full_title(self) -> str:
        """The title with the term, which distinguishes it from last year's course."""
        return f"{self.title} ({self.term})" if self.term else self.title


class Section(models.Model):
    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="sections")
    name = models.CharField(max_length=100)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("course", "name"), name="one_section_of_a_name"),)

    def __str__(self) -> str:
        return f"{self.course} {self.name}"


class Membership(models.Model):
    """A person in a course, with their ids in the school's LMS."""

    course = models.ForeignKey(Course, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role, default=Role.STUDENT)
    section = models.ForeignKey(Section, on_delete=models.SET_NULL, null=True, blank=True, related_name="memberships")
    lms_id = models.CharField(max_length=100, blank=True)
    sis_id = models.CharField(max_length=100, blank=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("course", "user"), name="one_membership_in_a_course"),)

    def __str__(self) -> str:
        return f"{self.user} in {self.course}"


class ShowHidden(models.TextChoices):
    """When students see the results of hidden checks."""

    ALWAYS = "always", "Always"
    AFTER_DUE = "after-due", "After the due date"
    NEVER = "never", "Never"


class HiddenMeanwhile(models.TextChoices):
    """What students see of hidden checks until their results are shown."""

    TITLES = "titles", "Titles and points"
    COUNT = "count", "Number of passed checks"
    NOTHING = "nothing", "Nothing, not even points"


class ShowSolutions(models.TextChoices):
    """When students whose submission passed all checks see the reference and other correct solutions."""

    NEVER = "never", "Never"
    AFTER_PASSING = "after-passing", "As soon as they pass all checks"
    AFTER_DUE = "after-due", "After they pass all checks and the last due date has passed"


class CarriedFiles(models.TextChoices):
    """Where the files come from that an exercise takes over from an earlier one."""

    OWN = "own", "The student's own best submission, or the reference solution if there is none"
    REFERENCE = "reference", "The reference solution"


class Assignment(models.Model):
    """A version of an exercise, assigned in a course; or work graded outside Gradus, without an exercise."""

    course = models.ForeignKey(Course, on_delete=models.PROTECT, related_name="assignments")
    slug = models.SlugField()
    version = models.ForeignKey(
        ExerciseVersion,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="assignments",
        help_text="Empty for work graded outside Gradus.",
    )
    title = models.CharField(max_length=200)
    unit = models.CharField(max_length=200, blank=True)
    position = models.PositiveIntegerField(default=0)
    points = models.DecimalField(max_digits=7, decimal_places=2)
    points_by_hand = models.DecimalField(
        max_digits=7,
        decimal_places=2,
        default=0,
        db_default=0,
        help_text="The part of the points that staff give by hand: the sum of the criteria.",
    )
    opens_at = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    closes_at = models.DateTimeField(null=True, blank=True)
    policy = models.CharField(max_length=40, default="best")
    late_share = models.DecimalField(
        max_digits=4,
        decimal_places=3,
        default=1,
        help_text="The share of its points that a late submission keeps, from 0 to 1.",
    )
    late_per_day = models.DecimalField(
        max_digits=4, decimal_places=3, default=0, help_text="The deduction for each started day, as a share of the points."
    )
    late_floor = models.DecimalField(
        max_digits=4, decimal_places=3, default=0, help_text="The minimum share that a late submission keeps."
    )
    late_grace = models.DurationField(
        default=timedelta(0), help_text="How long after the due date a submission still counts as on time."
    )
    no_credit_after = models.DateTimeField(null=True, blank=True, help_text="Submissions after this date earn no points.")
    late_days_limit = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="How many late days a student may use for this assignment. Empty for no limit."
    )
    attempt_limit = models.PositiveIntegerField(null=True, blank=True)
    cool_down = models.DurationField(default=timedelta(0))
    show_hidden = models.CharField(max_length=10, choices=ShowHidden, default=ShowHidden.AFTER_DUE)
    hidden_meanwhile = models.CharField(max_length=10, choices=HiddenMeanwhile, default=HiddenMeanwhile.TITLES)
    explain_hidden = models.BooleanField(
        default=True, help_text="Students see explanations of failed hidden checks, without values."
    )
    show_solutions = models.CharField(max_length=13, choices=ShowSolutions, default=ShowSolutions.NEVER)
    carried_files = models.CharField(max_length=9, choices=CarriedFiles, default=CarriedFiles.OWN)
    removed_at = models.DateTimeField(null=True, blank=True)
    edition = models.PositiveIntegerField(default=1, help_text="Increases with every change, to detect concurrent edits.")

    class Meta:
        ordering: ClassVar = ("position", "id")
        constraints = (
            models.UniqueConstraint(fields=("course", "slug"), name="one_assignment_of_a_slug"),
            models.CheckConstraint(condition=Q(late_share__gte=0, late_share__lte=1), name="late_share_is_a_share"),
            models.CheckConstraint(condition=Q(late_per_day__gte=0, late_per_day__lte=1), name="late_per_day_is_a_share"),
            models.CheckConstraint(
                condition=Q(late_floor__gte=0, late_floor__lte=F("late_share")), name="late_floor_is_below_late_share"
            ),
            models.CheckConstraint(condition=Q(points__gt=0), name="assignment_is_worth_something"),
            models.CheckConstraint(
                condition=Q(points_by_hand__gte=0, points_by_hand__lte=F("points")), name="points_by_hand_are_part_of_points"
            ),
        )

    def __str__(self) -> str:
        return f"{self.course}/{self.slug}"

    @property
    def graded_outside(self) -> bool:
        """Whether it takes no submissions and all scores are imported or set by hand, as for a written exam."""
        return self.version_id is None

    @property
    def exercise_version(self) -> ExerciseVersion:
        """The exercise version. Raises `Refused` for work graded outside Gradus."""
        if self.version is None:
            raise Refused(f"{self.title} is graded outside Gradus: it has no exercise.")
        return self.version

    @property
    def points_for_checks(self) -> Decimal:
        """The points for the automatic checks."""
        return self.points - self.points_by_hand


class Asks(models.TextChoices):
    """The answer that a criterion asks for, besides the code."""

    NOTHING = "nothing", "Nothing"
    TEXT = "text", "An answer in words"
    PDF = "pdf", "A PDF"


class Criterion(models.Model):
    """A line of an assignment's rubric, for which staff give points by hand. It may ask students a question. A removed
    criterion does not count, but keeps its marks and answers."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="criteria")
    title = models.CharField(max_length=100)
    description = models.CharField(max_length=300, blank=True)
    asks = models.CharField(max_length=7, choices=Asks, default=Asks.NOTHING, db_default="nothing")
    question = models.TextField(blank=True, db_default="", help_text="What students read, in Markdown.")
    points = models.DecimalField(max_digits=7, decimal_places=2)
    position = models.PositiveIntegerField(default=0)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ("position", "id")
        constraints = (models.CheckConstraint(condition=Q(points__gt=0), name="criterion_is_worth_something"),)

    def __str__(self) -> str:
        return f"{self.title}, in {self.assignment.slug}"


class Invitation(models.Model):
    """A link with which people join a course. Only its hash is stored, so that database access does not allow using it."""

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=12, choices=Role, default=Role.STUDENT)
    section = models.ForeignKey(Section, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    token_hash = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    uses_left = models.PositiveIntegerField(
        null=True, blank=True, help_text="The remaining number of uses. Empty for no limit."
    )
    revoked_at = models.DateTimeField(null=True, blank=True)
    email = models.EmailField(blank=True, help_text="Only this person can use the link. Empty for anyone who has it.")
    domains = models.CharField(
        max_length=500, blank=True, help_text="Allowed domains of email addresses, separated by spaces. Empty for all."
    )
    is_open = models.BooleanField(default=False, help_text="People without an account can create one.")

    def __str__(self) -> str:
        return f"invitation of {self.course} as {self.role}"


class ResetLink(models.Model):
    """A single-use link for choosing a new password. Only its hash is stored, so that database access does not allow using it.

    `account_mark` is a keyed hash of the account's password and email address when the link was created.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="reset_links")
    made_by = models.ForeignKey(
        User,
        on_delete=models.CASCADE,
        null=True,
        related_name="+",
        help_text="Empty if requested by email or created by an operator.",
    )
    course = models.ForeignKey(Course, on_delete=models.CASCADE, null=True, related_name="+")
    mailed = models.BooleanField(default=False)
    token_hash = models.CharField(max_length=64, unique=True)
    account_mark = models.CharField(max_length=64)
    made_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"reset link of {self.user}"


class OutgoingMail(models.Model):
    """A mail that has not been sent yet. The token of a reset link is created while the mail is being sent, so it is never stored."""

    class Kind(models.TextChoices):
        RESET = "reset", "Password reset link"
        NOTICE = "notice", "Notice of a change to an account"

    kind = models.CharField(max_length=10, choices=Kind)
    to = models.CharField(max_length=254, help_text="An address. For a reset link, the login or address that was entered.")
    page = models.CharField(
        max_length=400, blank=True, help_text="The URL of the page for the new password, up to the token."
    )
    subject = models.CharField(max_length=200, blank=True)
    body = models.TextField(blank=True)
    made_at = models.DateTimeField(auto_now_add=True)
    try_at = models.DateTimeField(db_index=True, help_text="When to try next.")
    tries = models.PositiveSmallIntegerField(default=0)
    given_up_at = models.DateTimeField(null=True, blank=True)
    trouble = models.CharField(max_length=200, blank=True, help_text="Why the last attempt failed.")

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class Extension(models.Model):
    """Time or attempts granted to one student beyond an assignment's own dates and limits."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="extensions")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="extensions")
    due_at = models.DateTimeField(null=True, blank=True)
    closes_at = models.DateTimeField(null=True, blank=True)
    extra_attempts = models.PositiveIntegerField(default=0)
    reason = models.CharField(max_length=500)
    granted_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    granted_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("assignment", "membership"), name="one_extension_each"),)

    def __str__(self) -> str:
        return f"{self.membership} for {self.assignment}"


class AuditEntry(models.Model):
    """An entry of the audit trail. Entries are only added, never changed or deleted.

    They refer to their subjects by key. `subject` is its name at that time, because names change.
    """

    at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    course = models.ForeignKey(Course, on_delete=models.PROTECT, null=True, related_name="audit")
    action = models.CharField(max_length=60)
    subject = models.CharField(max_length=200)
    details = models.JSONField(default=dict)
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="audit")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, null=True, related_name="audit")
    submission_number = models.BigIntegerField(null=True)
    batch_number = models.BigIntegerField(null=True)
    part_of = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="parts")

    objects: ClassVar[models.Manager["AuditEntry"]] = Unchanging.as_manager()

    class Meta:
        ordering: ClassVar = ("-id",)
        indexes = (
            models.Index(fields=("course", "-id"), name="audit_of_a_course"),
            models.Index(fields=("membership", "-id"), name="audit_of_a_member"),
        )

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.action} {self.subject}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            self.stays_as_it_is()
        super().save(*args, **{**kwargs, "force_insert": True})

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        self.stays_as_it_is()

    def stays_as_it_is(self) -> NoReturn:
        raise TypeError("entries of the audit trail cannot be changed or deleted")
