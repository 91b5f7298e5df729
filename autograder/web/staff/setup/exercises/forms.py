"""Forms that add assignments to a course."""

from datetime import time
from decimal import Decimal
from typing import Any

from django import forms
from django.http import QueryDict

from autograder.courses.models import Course
from autograder.library.catalogue import latest_versions
from autograder.web.staff.forms import CourseDateTimeField, DatesForm


class AssignForm(DatesForm):
    """Assigns several exercises that the course does not use yet, or all of a unit."""

    exercises = forms.MultipleChoiceField(label="Exercises", widget=forms.CheckboxSelectMultiple)
    opens_at = CourseDateTimeField(label="Opens", of_a_date=time.min)
    due_at = CourseDateTimeField(label="Due")
    closes_at = CourseDateTimeField(label="Closes")

    def __init__(self, course: Course, data: QueryDict | None = None) -> None:
        taken = course.assignments.exclude(version=None).values_list("version__exercise__slug", flat=True)
        self.offered = latest_versions(but=list(taken))
        self.unit = data.get("unit", "") if data else ""
        if data and self.unit:
            data = data.copy()
            data.setlist("exercises", [version.exercise.slug for version in self.offered if version.unit == self.unit])
        super().__init__(data)
        choices = [(version.exercise.slug, version.title) for version in self.offered]
        self.fields["exercises"].choices = choices  # type: ignore[attr-defined]


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
