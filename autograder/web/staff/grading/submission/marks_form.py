"""Form for the manual points of a submission: a number for each criterion, and a remark."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.forms import BoundField

from autograder.courses.errors import Conflict
from autograder.gradebook.decisions.marking import MAX_REMARK
from autograder.gradebook.grades.manual_points import Rubric, rubric_of
from autograder.gradebook.models import Marking
from autograder.submissions.models import Submission
from autograder.web import numbers


class MarksForm(forms.Form):
    """`seen` is the id of the marking shown on the page, or 0. After a conflict it is the stored one, so that submitting
    the form again overwrites it; the input is kept.
    """

    seen = forms.IntegerField(widget=forms.HiddenInput, min_value=0)
    remark = forms.CharField(
        required=False,
        max_length=MAX_REMARK,
        label="Feedback",
        help_text="Shown to the student.",
        strip=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def __init__(
        self,
        submission: Submission,
        sent: Mapping[str, Any] | None = None,
        *,
        rubric: Rubric | None = None,
        conflict: Conflict | None = None,
    ) -> None:
        rubric = rubric or rubric_of(submission) or Rubric(())
        self.conflict = conflict
        current = conflict.stands if conflict else rubric.marking
        number = current.pk if isinstance(current, Marking) else 0
        initial: dict[str, Any] = {"seen": number, "remark": rubric.marking.remark if rubric.marking else ""}
        initial |= {_name(line.criterion.pk): line.points for line in rubric.lines}
        if conflict is not None and sent is not None:
            sent = {**{name: sent.get(name, "") for name in (*initial, "remark")}, "seen": str(number)}
        super().__init__(sent, initial=initial, auto_id="marks_%s")
        for line in rubric.lines:
            about = f" {line.criterion.description}" if line.criterion.description else ""
            self.fields[_name(line.criterion.pk)] = forms.DecimalField(
                min_value=Decimal(0),
                max_value=line.criterion.points,
                max_digits=7,
                decimal_places=2,
                label=line.criterion.title,
                help_text=f"0 to {numbers.points(line.criterion.points)}.{about}",
            )
        self._numbers = [line.criterion.pk for line in rubric.lines]

    def criteria(self) -> list[BoundField]:
        return [self[_name(number)] for number in self._numbers]

    def given(self) -> dict[str, Any]:
        """Return the data in the form that the service expects."""
        points = {number: self.cleaned_data[_name(number)] for number in self._numbers}
        return {"points": points, "remark": self.cleaned_data["remark"], "seen": self.cleaned_data["seen"]}


def _name(criterion: int) -> str:
    return f"points_{criterion}"
