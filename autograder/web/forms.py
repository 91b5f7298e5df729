"""Errors in forms."""

from django import forms

from autograder.courses.errors import AtField, Refused


def add_refusal(form: forms.Form, refused: Refused) -> None:
    """Add a service error to the form, at its field if it has one."""
    field = refused.field if isinstance(refused, AtField) and refused.field in form.fields else None
    form.add_error(field, refused.message)


def focus_first_error(form: forms.Form) -> None:
    """Put the cursor into the first field with an error when the page is shown."""
    if first := next((field for field in form.visible_fields() if field.errors), None):
        first.field.widget.attrs["autofocus"] = True
