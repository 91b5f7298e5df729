"""Forms of staff pages. They validate what a field alone can show; services check everything else."""

from datetime import datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django import forms
from django.utils import timezone

from autograder.courses.assignments import CHANGEABLE_OUTSIDE
from autograder.courses.errors import Refused
from autograder.courses.models import Course, HiddenMeanwhile, Role, Section, ShowHidden, ShowSolutions
from autograder.courses.policies import POLICIES
from autograder.courses.timezones import END_OF_DAY, moment_of, zones
from autograder.library.catalogue import latest_versions

MOMENT = "%Y-%m-%dT%H:%M"
PERCENT = ("late_share", "late_per_day", "late_floor")


class Moment(forms.DateTimeField):
    """A date and time in the course's time zone. For a date alone, the time is `of_a_date`."""

    def __init__(self, *, of_a_date: time = END_OF_DAY, **kwargs: Any) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format=MOMENT)
        super().__init__(required=False, widget=widget, **kwargs)
        self.of_a_date = of_a_date

    def to_python(self, value: Any) -> datetime | None:
        if not isinstance(value, str) or not value.strip():
            return super().to_python(value)
        try:
            return moment_of(value.strip(), timezone.get_current_timezone(), self.of_a_date)
        except Refused as refused:
            raise forms.ValidationError(refused.message, code="clocks") from None
        except ValueError:
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid") from None


class Percent(forms.DecimalField):
    """A percentage."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=Decimal(0), max_value=Decimal(100), max_digits=4, decimal_places=1, **kwargs)


class CourseForm(forms.Form):
    title = forms.CharField(max_length=200, label="Title")
    term = forms.CharField(max_length=100, required=False, label="Term", help_text="such as Winter term 2026")
    time_zone = forms.ChoiceField(label="Time zone", choices=[(name, name) for name in zones()])
    supersedes = forms.BooleanField(
        required=False, label="A newer submission replaces the student's older submission that is still waiting"
    )
    late_days = forms.IntegerField(
        min_value=0,
        max_value=1000,
        initial=0,
        label="Late days for each student",
        help_text="Total number of days that each student can be late without losing points. "
        "They are used in the order of due dates, only where they raise the points, and are returned when they are no longer needed.",
    )

    def __init__(self, *args: Any, time_zone: str = "", **kwargs: Any) -> None:
        """`time_zone` is that of an existing course, which may no longer be among the choices."""
        super().__init__(*args, **kwargs)
        if time_zone and time_zone not in zones():
            self.fields["time_zone"].choices.append((time_zone, time_zone))  # type: ignore[attr-defined]


class NewCourseForm(CourseForm):
    slug = forms.SlugField(
        max_length=50, label="Name in the URL", help_text="letters, digits and dashes, such as autodiff-2026"
    )
    field_order = ("title", "slug", "term", "time_zone", "supersedes", "late_days")


class CopyForm(forms.Form):
    title = forms.CharField(max_length=200, label="Title of the new course")
    slug = forms.SlugField(max_length=50, label="Name in the URL")
    term = forms.CharField(max_length=100, required=False, label="Term")
    days = forms.IntegerField(
        min_value=-3660, max_value=3660, label="Move all dates by (days)", help_text="364 keeps the weekdays"
    )
    newest = forms.BooleanField(required=False, initial=True, label="Use the newest version of each exercise")


class DatesForm(forms.Form):
    """Checks that the dates are in order."""

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        for earlier, later, words in (
            ("opens_at", "due_at", "It is due before it opens."),
            ("due_at", "closes_at", "It closes before it is due."),
            ("opens_at", "closes_at", "It closes before it opens."),
            ("due_at", "no_credit_after", "This is before it is due."),
        ):
            first, then = found.get(earlier), found.get(later)
            if first and then and then < first and not self.has_error(later):
                self.add_error(later, words)
        return found


class AssignmentForm(DatesForm):
    """All settings of an assignment. `edition` is its edition when the page was rendered.

    Each field is sent back with its initial value, so that the view knows which ones the user changed.
    """

    title = forms.CharField(max_length=200, label="Title")
    unit = forms.CharField(max_length=200, required=False, label="Unit")
    position = forms.IntegerField(min_value=0, max_value=10_000, label="Position in the course")
    points = forms.DecimalField(min_value=Decimal("0.01"), max_digits=7, decimal_places=2, label="Points")
    opens_at = Moment(label="Opens", of_a_date=time.min)
    due_at = Moment(label="Due")
    closes_at = Moment(label="Closes")
    policy = forms.ChoiceField(
        label="Counted submission", choices=[(policy.name, policy.label) for policy in POLICIES.values()]
    )
    late_share = Percent(label="Credit for late submissions (%)", help_text="100 means no deduction.")
    late_per_day = Percent(
        label="Deduction for each day (percentage points)", help_text="A started day counts as a full day."
    )
    late_floor = Percent(label="Minimum credit for late submissions (%)")
    late_grace = forms.IntegerField(
        min_value=0,
        max_value=100_000,
        label="Grace period (minutes)",
        help_text="Submissions within the grace period are on time. After it, late days are counted from the due date.",
    )
    no_credit_after = Moment(label="No credit after", help_text="Later submissions earn no points.")
    late_days_limit = forms.IntegerField(
        min_value=0,
        max_value=1000,
        required=False,
        label="Late days allowed for this exercise",
        help_text="Empty: all remaining late days of a student. The number of late days is a course setting.",
    )
    attempt_limit = forms.IntegerField(
        min_value=1, max_value=100_000, required=False, label="Submissions", help_text="empty: unlimited"
    )
    cool_down = forms.IntegerField(min_value=0, max_value=100_000, label="Minimum minutes between submissions")
    show_hidden = forms.ChoiceField(choices=ShowHidden.choices, label="Show results of hidden checks")
    hidden_meanwhile = forms.ChoiceField(choices=HiddenMeanwhile.choices, label="Shown until then")
    explain_hidden = forms.BooleanField(
        required=False,
        label="Explain failed hidden checks",
        help_text="Until then, students see which known mistake a failed hidden check found: its name and explanation, "
        "but no inputs, values or code. If nothing is shown, nothing is explained.",
    )
    show_solutions = forms.ChoiceField(choices=ShowSolutions.choices, label="Show the reference and other correct solutions")
    newest = forms.BooleanField(required=False, label="Use the newest version of the exercise")
    edition = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, outside: bool = False, **kwargs: Any) -> None:
        """If `outside`, the assignment is graded outside Gradus and has fewer settings."""
        super().__init__(*args, **kwargs)
        for name in [name for name in self.fields if outside and name not in (*CHANGEABLE_OUTSIDE, "edition")]:
            del self.fields[name]
        for name, field in self.fields.items():
            field.show_hidden_initial = name not in ("newest", "edition")

    def terms(self) -> dict[str, Any]:
        """Return the data in the form that the service expects."""
        given = {name: value for name, value in self.cleaned_data.items() if name not in ("newest", "edition")}
        minutes = {name: timedelta(minutes=given[name]) for name in ("cool_down", "late_grace") if name in given}
        return given | minutes | {name: given[name] / 100 for name in PERCENT if name in given}


class AssignForm(DatesForm):
    """Assigns several exercises that the course does not use yet."""

    exercises = forms.MultipleChoiceField(label="Exercises", widget=forms.CheckboxSelectMultiple)
    opens_at = Moment(label="Opens", of_a_date=time.min)
    due_at = Moment(label="Due")
    closes_at = Moment(label="Closes")

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        taken = course.assignments.exclude(version=None).values_list("version__exercise__slug", flat=True)
        self.offered = latest_versions(but=list(taken))
        choices = [(version.exercise.slug, version.title) for version in self.offered]
        self.fields["exercises"].choices = choices  # type: ignore[attr-defined]


class OutsideForm(forms.Form):
    """Adds work that is graded outside Gradus, such as a written exam or a talk."""

    title = forms.CharField(max_length=200, label="Title")
    unit = forms.CharField(max_length=200, required=False, label="Unit")
    points = forms.DecimalField(min_value=Decimal("0.01"), max_digits=7, decimal_places=2, label="Points")
    due_at = Moment(
        label="Due",
        help_text="After this date a missing score counts as 0. If empty, the work is left out of the total until it has a score.",
    )

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["unit"].widget.attrs["list"] = "units"
        units = course.assignments.filter(removed_at=None).exclude(unit="").values_list("unit", flat=True)
        self.units = list(dict.fromkeys(units))


class SectionField(forms.ModelChoiceField):  # type: ignore[type-arg]
    """Shows the name of a section without its course."""

    def label_from_instance(self, obj: Section) -> str:
        return obj.name


class InSectionForm(forms.Form):
    """A form with a choice of the course's sections."""

    section = SectionField(queryset=Section.objects.none(), required=False, label="Section", empty_label="none")

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["section"].queryset = course.sections.order_by("name")  # type: ignore[attr-defined]


class MemberForm(InSectionForm):
    """Role and section of a member, and their ids in the LMS and the SIS."""

    role = forms.ChoiceField(choices=Role.choices, label="Role")
    lms_id = forms.CharField(max_length=100, required=False, label="Id in the LMS")
    sis_id = forms.CharField(max_length=100, required=False, label="Id in the SIS")
    field_order = ("role", "section", "lms_id", "sis_id")


class InviteForm(InSectionForm):
    role = forms.ChoiceField(choices=[(Role.STUDENT, "Student"), (Role.ASSISTANT, "Assistant")], label="As")
    days = forms.IntegerField(min_value=1, max_value=180, initial=14, label="Valid for (days)")
    uses = forms.IntegerField(
        min_value=1, max_value=100_000, required=False, label="Number of uses", help_text="Empty: unlimited."
    )
    email = forms.EmailField(
        required=False,
        label="For one person, by e-mail",
        help_text="Only an account with this address can use the link, once.",
    )
    domains = forms.CharField(
        max_length=500,
        required=False,
        label="Only e-mail addresses of",
        help_text="Domains, such as example.edu cs.example.edu. Subdomains are not included. Empty: any.",
    )
    is_open = forms.BooleanField(
        required=False,
        label="People without an account can create one",
        help_text="Only for students, and only with a number of uses. The site does not verify the e-mail addresses.",
    )
    field_order = ("role", "section", "days", "uses", "email", "domains", "is_open")


class ExtensionForm(forms.Form):
    due_at = Moment(label="Due")
    closes_at = Moment(label="Closes")
    extra_attempts = forms.IntegerField(min_value=0, max_value=1000, initial=0, label="Extra submissions")
    reason = forms.CharField(max_length=500, label="Reason", help_text="shown in the history")

    def __init__(self, *args: Any, outside: bool = False, **kwargs: Any) -> None:
        """If `outside`, the assignment takes no submissions."""
        super().__init__(*args, **kwargs)
        for name in ("closes_at", "extra_attempts") if outside else ():
            del self.fields[name]

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        due, closes = found.get("due_at"), found.get("closes_at")
        if due and closes and closes < due:
            self.add_error("closes_at", "It closes before it is due.")
        if not due and not closes and not found.get("extra_attempts"):
            more = ", or more submissions" if "extra_attempts" in self.fields else ""
            self.add_error("due_at", f"Grant a later date{more}.")
        return found


class OverrideForm(forms.Form):
    """`seen` is the id of the override shown on the page, or 0, to detect concurrent changes."""

    points = forms.DecimalField(min_value=Decimal(0), max_digits=7, decimal_places=2, label="Points")
    reason = forms.CharField(max_length=500, label="Reason", help_text="shown to the student")
    seen = forms.IntegerField(widget=forms.HiddenInput, initial=0)
