"""The form with all settings of an assignment."""

from datetime import time, timedelta
from decimal import Decimal
from typing import Any

from django import forms

from autograder.courses.models import CarriedFiles, HiddenMeanwhile, ShowHidden, ShowSolutions
from autograder.courses.policies import POLICIES
from autograder.courses.setup.assignments import CHANGEABLE_OUTSIDE
from autograder.web.staff.forms import CourseDateTimeField, DatesForm, PercentField

TENTH = Decimal("0.1")
PERCENT = {
    "late_share": ("Credit for late submissions (%)", "100 means no deduction."),
    "late_per_day": (
        "Deduction for each day (percentage points)",
        "A started day counts as a full day: credit 90 and deduction 10 leave 80 on the first day.",
    ),
    "late_floor": ("Minimum credit for late submissions (%)", ""),
}


def in_percent(share: Decimal) -> str:
    """A share as the text of such a field: 12.5 for 0.125."""
    return f"{(Decimal(share) * 100).quantize(TENTH).normalize():f}"


def percent_of(name: str, *, required: bool = True) -> PercentField:
    label, help_text = PERCENT[name]
    return PercentField(label=label, help_text=help_text, required=required)


class AssignmentForm(DatesForm):
    """All settings of an assignment. `edition` is its edition when the page was rendered.

    Each field is sent back with its initial value, so that the view knows which ones the user changed.
    """

    title = forms.CharField(max_length=200, label="Title")
    unit = forms.CharField(max_length=200, required=False, label="Unit")
    position = forms.IntegerField(min_value=0, max_value=10_000, label="Position in the course")
    points = forms.DecimalField(min_value=Decimal("0.01"), max_digits=7, decimal_places=2, label="Points")
    opens_at = CourseDateTimeField(label="Opens", of_a_date=time.min)
    due_at = CourseDateTimeField(label="Due")
    closes_at = CourseDateTimeField(label="Closes")
    policy = forms.ChoiceField(
        label="Counted submission", choices=[(policy.name, policy.label) for policy in POLICIES.values()]
    )
    late_share = percent_of("late_share")
    late_per_day = percent_of("late_per_day")
    late_floor = percent_of("late_floor")
    late_grace = forms.IntegerField(
        min_value=0,
        max_value=100_000,
        label="Grace period (minutes)",
        help_text="Submissions within the grace period are on time. After it, late days are counted from the due date.",
    )
    no_credit_after = CourseDateTimeField(label="No credit after", help_text="Later submissions earn no points.")
    late_days_limit = forms.IntegerField(
        min_value=0,
        max_value=1000,
        required=False,
        label="Late days allowed for this exercise",
        help_text="Leave empty to allow all remaining late days of a student. The number of late days is a course setting.",
    )
    attempt_limit = forms.IntegerField(
        min_value=1, max_value=100_000, required=False, label="Submissions", help_text="Leave empty for no limit."
    )
    cool_down = forms.IntegerField(min_value=0, max_value=100_000, label="Minimum minutes between submissions")
    show_hidden = forms.ChoiceField(
        choices=ShowHidden.choices,
        label="Show results of hidden checks",
        help_text="While late work can still earn points, results wait for the date on which it closes or earns nothing more.",
    )
    hidden_meanwhile = forms.ChoiceField(choices=HiddenMeanwhile.choices, label="What students see until then")
    explain_hidden = forms.BooleanField(
        required=False,
        label="Explain failed hidden checks",
        help_text="Until then, students see the name and explanation of the known mistake behind a failed hidden check, "
        "but no inputs, values or code. This has no effect if the setting above shows nothing.",
    )
    show_solutions = forms.ChoiceField(
        choices=ShowSolutions.choices, label="Show the reference solution and other correct solutions"
    )
    carried_files = forms.ChoiceField(
        choices=CarriedFiles.choices,
        label="Files from earlier exercises",
        help_text="The code of a student can read the reference solution of an earlier exercise while it runs.",
    )
    newest = forms.BooleanField(required=False, label="Use the newest version of the exercise")
    edition = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, outside: bool = False, carries: bool = False, **kwargs: Any) -> None:
        """If `outside`, the assignment is graded outside Gradus and has fewer settings. `carries`: whether it has files from
        earlier exercises."""
        super().__init__(*args, **kwargs)
        if not carries:
            del self.fields["carried_files"]
        for name in [name for name in self.fields if outside and name not in (*CHANGEABLE_OUTSIDE, "edition")]:
            del self.fields[name]
        for name, field in self.fields.items():
            field.show_hidden_initial = name not in ("newest", "edition")

    def terms(self) -> dict[str, Any]:
        """Return the data in the form that the service expects."""
        given = {name: value for name, value in self.cleaned_data.items() if name not in ("newest", "edition")}
        minutes = {name: timedelta(minutes=given[name]) for name in ("cool_down", "late_grace") if name in given}
        return given | minutes | {name: given[name] / 100 for name in PERCENT if name in given}
