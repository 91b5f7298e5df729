"""Forms that add assignments to a course."""

from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils import timezone

from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Course
from autograder.courses.setup.dates import Dates, Pattern, free_days
from autograder.courses.setup.units import by_unit
from autograder.library.catalogue import latest_versions
from autograder.library.models import ExerciseVersion
from autograder.web.staff.forms import CourseDateTimeField, DatesForm, DayField
from autograder.web.staff.setup.assignment_settings.form import PERCENT, in_percent, percent_of

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MAX_DAYS = 366
SAME = ("opens_at", "due_at", "closes_at")
PATTERN = ("first", "every", "weekday", "due_time", "work_days", "late_days", "free")


class PlanForm(DatesForm):
    """Assigns exercises that the course does not use yet: chosen ones and whole units. They get the same dates, or a unit opens
    after the other by a pattern."""

    exercises = forms.MultipleChoiceField(
        required=False,
        error_messages={"invalid_choice": "“%(value)s” has been assigned in the meantime, or is not on this site."},
    )
    dates = forms.ChoiceField(
        label="Dates",
        choices=[("same", "The same for all"), ("pattern", "One unit after the other")],
        widget=forms.RadioSelect,
        initial="same",
        required=False,
    )
    opens_at = CourseDateTimeField(label="Opens", of_a_date=time.min)
    due_at = CourseDateTimeField(label="Due")
    closes_at = CourseDateTimeField(label="Closes")
    first = DayField(label="First unit opens")
    every = forms.TypedChoiceField(
        label="A unit every",
        choices=[(7, "week"), (14, "2 weeks"), (21, "3 weeks"), (28, "4 weeks")],
        coerce=int,
        initial=7,
        required=False,
    )
    weekday = forms.TypedChoiceField(label="Due on", choices=[*enumerate(WEEKDAYS)], coerce=int, initial=4, required=False)
    due_time = forms.TimeField(
        label="Due at", initial=time(23, 59), required=False, widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
    )
    work_days = forms.IntegerField(
        label="Days from opening to due date",
        min_value=0,
        max_value=MAX_DAYS,
        initial=7,
        required=False,
        help_text="At least; the due date is the next such weekday.",
    )
    late_days = forms.IntegerField(
        label="Days from due date to closing",
        min_value=0,
        max_value=MAX_DAYS,
        required=False,
        help_text="Leave empty to keep units open.",
    )
    free = forms.CharField(
        label="Nothing due on",
        max_length=2000,
        required=False,
        help_text="Holidays, such as 2026-12-24 to 2027-01-06, 2027-02-19. A unit is then due a week later.",
    )
    late_share = percent_of("late_share", required=False)
    late_per_day = percent_of("late_per_day", required=False)
    late_floor = percent_of("late_floor", required=False)

    def __init__(self, course: Course, data: QueryDict | None = None) -> None:
        """The credit for late work is at first that of the last exercise of the course."""
        last = course.assignments.exclude(version=None).order_by("-position", "-id").first() or Assignment()
        initial = {name: in_percent(getattr(last, name)) for name in PERCENT}
        super().__init__(data, initial=initial | {"first": _next_monday()})
        self.versions = latest_versions(course.slug)
        taken = dict(course.assignments.exclude(version=None).values_list("version__exercise__slug", "removed_at"))
        self.assigned = {slug: "assigned" if removed_at is None else "removed" for slug, removed_at in taken.items()}
        free = [version for version in self.versions if version.exercise.slug not in self.assigned]
        choices = [(version.exercise.slug, version.title) for version in free]
        self.fields["exercises"].choices = choices  # type: ignore[attr-defined]
        units = set(data.getlist("unit") if data else ())
        ticked = set(data.getlist("exercises") if data else ())
        self.chosen = [version for version in free if version.unit in units or version.exercise.slug in ticked]

    @property
    def units(self) -> dict[str, list[ExerciseVersion]]:
        return by_unit(self.chosen, lambda version: version.unit)

    @property
    def by_pattern(self) -> bool:
        return str(self["dates"].value()) == "pattern"

    def clean_exercises(self) -> list[str]:
        if not self.chosen:
            raise forms.ValidationError("Select at least one exercise.")
        return [version.exercise.slug for version in self.chosen]

    def clean_free(self) -> frozenset[date]:
        try:
            return free_days(self.cleaned_data["free"])
        except Refused as refused:
            raise forms.ValidationError(refused.message) from None

    def clean(self) -> dict[str, Any]:
        for name in SAME if self.by_pattern else PATTERN:
            self.errors.pop(name, None)  # the page hides these fields, and nothing comes of them
        if not self.by_pattern:
            return super().clean()
        for name in ("first", "every", "weekday", "due_time", "work_days"):
            if self.cleaned_data.get(name) in (None, "") and not self.has_error(name):
                self.add_error(name, "Enter a value.")
        self._clean_pattern()
        return self.cleaned_data

    def _clean_pattern(self) -> None:
        """Refuse a time of day that the clocks skip or repeat on one of the due dates."""
        try:
            self.dates_of_units()
        except Refused as refused:
            self.add_error("due_time", refused.message)

    @property
    def pattern(self) -> Pattern | None:
        """None while something is missing or wrong."""
        if any(name in self.errors or name not in self.cleaned_data for name in PATTERN):
            return None
        return Pattern(**{name: self.cleaned_data[name] for name in PATTERN})

    def dates_of_units(self) -> dict[str, Dates]:
        """The dates of each chosen unit; empty while they cannot be told."""
        zone = timezone.get_current_timezone()
        if not self.by_pattern:
            if any(name in self.errors for name in SAME):
                return {}
            return dict.fromkeys(self.units, Dates(*(self.cleaned_data[name] for name in SAME)))
        pattern = self.pattern
        return {unit: pattern.dates(number, zone) for number, unit in enumerate(self.units)} if pattern else {}

    def dates_of_exercises(self) -> dict[str, Dates]:
        dates = self.dates_of_units()
        return {version.exercise.slug: dates[version.unit] for versions in self.units.values() for version in versions}

    def late_terms(self) -> dict[str, Decimal]:
        """The credit for late work, as the service expects it. An empty field keeps what the page showed at first."""
        given = {name: self.cleaned_data[name] for name in PERCENT}
        return {name: (Decimal(self.initial[name]) if value is None else value) / 100 for name, value in given.items()}


def _next_monday() -> date:
    today = timezone.localdate()
    return today + timedelta(days=7 - today.weekday())


class OutsideForm(forms.Form):
    """Adds work that is graded outside Gradus, such as a written exam or a talk."""

    title = forms.CharField(max_length=200, label="Title")
    unit = forms.CharField(max_length=200, required=False, label="Unit")
    points = forms.DecimalField(min_value=Decimal("0.01"), max_digits=7, decimal_places=2, label="Points")
    due_at = CourseDateTimeField(
        label="Due",
        help_text="After this date a missing score counts as 0. If empty, the work is left out of the total until it has a score.",
    )

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["unit"].widget.attrs["list"] = "units"
        units = course.assignments.filter(removed_at=None).exclude(unit="").values_list("unit", flat=True)
        self.units = list(dict.fromkeys(units))
