"""Errors of services in forms."""

from django import forms

from autograder.courses.errors import AtField, Refused


def add_refusal(form: forms.Form, refused: Refused) -> None:
    """Add a service error to the form, at its field if it has one."""
    field = refused.field if isinstance(refused, AtField) and refused.field in form.fields else None
    form.add_error(field, refused.message)
