"""Form for the criteria of an assignment, with one row per criterion."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.forms import BoundField

from autograder.courses.errors import AtField, Refused
from autograder.courses.models import Asks, Assignment, Criterion
from autograder.gradebook.decisions.criteria import (
    MAX_CRITERIA,
    MAX_DESCRIPTION,
    MAX_QUESTION,
    MAX_TITLE,
    NewCriterion,
)

EMPTY = 2  # blank rows for new criteria
ROW = ("number", "title", "points", "description", "asks", "question", "place", "remove")
SHOWN = ("title", "points", "description", "question", "place")


class CriteriaForm(forms.Form):
    """One row per criterion and some blank ones. `edition` is that of the assignment when the page was rendered."""

    edition = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, assignment: Assignment, criteria: Sequence[Criterion], sent: Mapping[str, Any] | None = None) -> None:
        super().__init__(sent, initial={"edition": assignment.edition}, auto_id="criteria_%s")
        self.would_go = ""  # warning shown if removing a criterion would discard marks
        self._filled = len(criteria)
        for n in range(MAX_CRITERIA):
            self._add_row(n, criteria[n] if n < len(criteria) else None)

    def _add_row(self, n: int, criterion: Criterion | None) -> None:
        number = forms.IntegerField(widget=forms.HiddenInput, required=False, initial=criterion.pk if criterion else None)
        title = forms.CharField(
            max_length=MAX_TITLE, required=False, label=f"Criterion {n + 1}", initial=criterion.title if criterion else ""
        )
        points = forms.DecimalField(
            min_value=Decimal("0.01"),
            max_digits=7,
            decimal_places=2,
            required=False,
            label=f"Points for criterion {n + 1}",
            initial=criterion.points if criterion else None,
        )
        description = forms.CharField(
            max_length=MAX_DESCRIPTION,
            required=False,
            label=f"Description of criterion {n + 1}",
            initial=criterion.description if criterion else "",
        )
        asks = forms.ChoiceField(
            choices=Asks.choices,
            required=False,
            label=f"Answer that criterion {n + 1} asks for",
            initial=criterion.asks if criterion else Asks.NOTHING,
        )
        question = forms.CharField(
            max_length=MAX_QUESTION,
            required=False,
            label=f"Question of criterion {n + 1}",
            initial=criterion.question if criterion else "",
            widget=forms.Textarea(attrs={"rows": 2}),
        )
        place = forms.IntegerField(
            min_value=1,
            max_value=99,
            required=False,
            label=f"Order of criterion {n + 1}",
            initial=n + 1 if criterion else None,
        )
        remove = forms.BooleanField(required=False, label=f"Remove criterion {n + 1}")
        for name, field in zip(ROW, (number, title, points, description, asks, question, place, remove), strict=True):
            self.fields[f"{name}_{n}"] = field

    def rows(self) -> list[dict[str, BoundField]]:
        """The rows in use and some blank ones. Only existing criteria can be removed."""
        used = max((n + 1 for n in range(MAX_CRITERIA) if self._typed(n)), default=0)
        shown = range(min(MAX_CRITERIA, max(self._filled, used) + EMPTY))
        return [
            {name: self[f"{name}_{n}"] for name in ROW if name != "remove" or self[f"number_{n}"].value()} for n in shown
        ]

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        for n in self._kept(found):
            if not found.get(f"title_{n}") and not self.has_error(f"title_{n}"):
                self.add_error(f"title_{n}", "A criterion needs a title.")
            if found.get(f"points_{n}") is None and not self.has_error(f"points_{n}"):
                self.add_error(f"points_{n}", "A criterion needs points.")
        return found

    def wanted(self) -> list[NewCriterion]:
        given = self.cleaned_data
        return [
            NewCriterion(
                given[f"title_{n}"],
                given[f"points_{n}"],
                given[f"description_{n}"],
                given[f"number_{n}"],
                Asks(given[f"asks_{n}"] or Asks.NOTHING),
                given[f"question_{n}"],
            )
            for n in self._kept(given)
        ]

    def refuse(self, refused: Refused) -> None:
        """Attach a service error to the field of its criterion. Services number criteria in their sorted order."""
        if isinstance(refused, AtField):
            name, _, place = refused.field.rpartition("_")
            self.add_error(f"{name}_{self._kept(self.cleaned_data)[int(place)]}", refused.message)
        else:
            self.add_error(None, refused.message)

    def _kept(self, given: dict[str, Any]) -> list[int]:
        """The rows that are kept or added, in their order."""
        filled = [
            n
            for n in range(MAX_CRITERIA)
            if not given.get(f"remove_{n}")
            and any(given.get(f"{name}_{n}") for name in ("number", "title", "points", "description", "question"))
        ]
        return sorted(filled, key=lambda n: (given.get(f"place_{n}") or 100, n))

    def _typed(self, n: int) -> bool:
        return any(self[f"{name}_{n}"].value() for name in ("number", *SHOWN))
