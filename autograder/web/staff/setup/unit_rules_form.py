"""The form for weights and dropped scores of the units."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.forms import BoundField

from autograder.gradebook.grades.unit_rules import NewUnitRule, RuleRefused


class RulesForm(forms.Form):
    """Weight and number of dropped exercises for each unit of the course."""

    def __init__(self, rules: Sequence[NewUnitRule], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.units = [rule.unit for rule in rules]
        for n, rule in enumerate(rules):
            called = rule.unit or "Exercises"
            self.fields[f"weight_{n}"] = forms.DecimalField(
                min_value=Decimal(0),
                max_value=Decimal(100),
                max_digits=5,
                decimal_places=2,
                required=False,
                label=f"Weight of {called} (%)",
                initial=None if rule.weight is None else f"{rule.weight.normalize():f}",
            )
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
