"""Forms for a course: its settings, a new course, a copy."""

from typing import Any

from django import forms

from autograder.courses.setup.timezones import regions, zones

ZONES = [("UTC", "UTC"), *((region, [(name, name) for name in names]) for region, names in regions().items())]


class UrlNameField(forms.SlugField):
    def __init__(self, **kwargs: Any) -> None:
        words = {"invalid": "Use letters a to z, digits, dashes and underscores only, such as autodiff-2026."}
        super().__init__(max_length=50, label="Name in the URL", error_messages=words, **kwargs)


class CourseForm(forms.Form):
    title = forms.CharField(max_length=200, label="Title")
    term = forms.CharField(max_length=100, required=False, label="Term", help_text="such as Winter term 2026")
    time_zone = forms.ChoiceField(label="Time zone", choices=ZONES)
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
    slug = UrlNameField(help_text="letters, digits and dashes, such as autodiff-2026")
    field_order = ("title", "slug", "term", "time_zone", "supersedes", "late_days")


class CopyForm(forms.Form):
    title = forms.CharField(max_length=200, label="Title of the new course")
    slug = UrlNameField()
    term = forms.CharField(max_length=100, required=False, label="Term")
    days = forms.IntegerField(
        min_value=-3660, max_value=3660, label="Move all dates by (days)", help_text="364 keeps the weekdays"
    )
    newest = forms.BooleanField(required=False, initial=True, label="Use the newest version of each exercise")


class SectionForm(forms.Form):
    name = forms.CharField(max_length=100, label="New section")
