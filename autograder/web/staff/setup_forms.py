"""Forms of single setup pages: sections, unit rules, adding a person, and uploading a roster."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.forms import BoundField

from autograder.courses.errors import AtField, Refused
from autograder.courses.models import Role
from autograder.gradebook.unit_rules import NewUnitRule, RuleRefused
from autograder.web.staff.forms import InSectionForm

ACCEPTED = ".csv,.tsv,.txt,.xlsx,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def add_refusal(form: forms.Form, refused: Refused) -> None:
    """Add a service error to the form, at its field if it has one."""
    field = refused.field if isinstance(refused, AtField) and refused.field in form.fields else None
    form.add_error(field, refused.message)


class SectionForm(forms.Form):
    name = forms.CharField(max_length=100, label="New section")


class AddForm(InSectionForm):
    """Adds one person, with or without an existing account."""

    login = forms.CharField(
        max_length=254, label="Login or e-mail", help_text="If no account has this e-mail address, a new account is created."
    )
    name = forms.CharField(max_length=300, required=False, label="Name", help_text="For a new account.")
    role = forms.ChoiceField(choices=Role.choices, label="Role")
    field_order = ("login", "name", "role", "section")


class RosterForm(forms.Form):
    file = forms.FileField(label="File", widget=forms.FileInput(attrs={"accept": ACCEPTED}))


class RulesForm(forms.Form):
    """Weight and number of dropped exercises for each unit of the course."""

    def __init__(self, rules: Sequence[NewUnitRule], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.units = [rule.unit for rule in rules]
        for n, rule in enumerate(rules):
            called = rule.unit or "Exercises"
            self.fields[f"weight_{n}"] = forms.DecimalField(
                min_value=Decimal(0), max_value=Decimal(100), max_digits=5, decimal_places=2, required=False,
                label=f"Weight of {called} (%)", initial=None if rule.weight is None else f"{rule.weight.normalize():f}",
            )  # fmt: skip
            self.fields[f"drop_{n}"] = forms.IntegerField(
                min_value=0, max_value=1000, label=f"Lowest scores dropped in {called}", initial=rule.drop_lowest
            )

    def rules(self) -> list[NewUnitRule]:
        given = self.cleaned_data
        return [NewUnitRule(unit, given[f"weight_{n}"], given[f"drop_{n}"]) for n, unit in enumerate(self.units)]

    def refuse(self, refused: RuleRefused) -> None:
        """Attach the error to the field of the unit concerned."""
        name = "weight" if refused.field == "weight" else "drop"
        self.add_error(f"{name}_{self.units.index(refused.unit)}", refused.message)

    def rows(self) -> list[tuple[str, tuple[BoundField, BoundField]]]:
        return [(unit or "Exercises", (self[f"weight_{n}"], self[f"drop_{n}"])) for n, unit in enumerate(self.units)]
