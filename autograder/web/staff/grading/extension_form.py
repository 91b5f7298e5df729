"""The form that grants an extension."""

from typing import Any

from django import forms

from autograder.web.staff.forms import CourseDateTimeField, DatesForm


class ExtensionForm(DatesForm):
    due_at = CourseDateTimeField(label="Due")
    closes_at = CourseDateTimeField(label="Closes")
    extra_attempts = forms.IntegerField(min_value=0, max_value=1000, initial=0, label="Extra submissions")
    reason = forms.CharField(max_length=500, label="Reason", help_text="shown in the history")

    def __init__(self, *args: Any, outside: bool = False, **kwargs: Any) -> None:
        """If `outside`, the assignment takes no submissions."""
        super().__init__(*args, **kwargs)
        for name in ("closes_at", "extra_attempts") if outside else ():
            del self.fields[name]

    def clean(self) -> dict[str, Any]:
        found = super().clean()
        if not any(found.get(name) for name in ("due_at", "closes_at", "extra_attempts")):
            more = ", or more submissions" if "extra_attempts" in self.fields else ""
            self.add_error("due_at", f"Grant a later date{more}.")
        return found
