"""Addresses within the workspace of a draft."""

from django.urls import reverse
from django.utils.http import urlencode

from autograder.authoring.models import Draft


def address_of(draft: Draft, path: str, line: int = 0) -> str:
    """The workspace with a file open, at a line of it."""
    there = reverse("workspace", args=(draft.course.slug, draft.slug))
    return f"{there}?{urlencode({'file': path})}{f'#L{line}' if line else ''}"
