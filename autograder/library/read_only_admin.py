"""Read-only admin classes. Data is changed by the services, which validate and record changes, never by an admin form."""

import json
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString


class Inspection(admin.ModelAdmin):  # type: ignore[type-arg]
    """A model admin that allows viewing only."""

    show_full_result_count = False  # counting a large table takes longer than showing a page of it
    list_per_page = 50
    unread: ClassVar[tuple[str, ...]] = ()  # large columns that are not loaded in lists

    def get_queryset(self, request: HttpRequest) -> Any:
        found = super().get_queryset(request)
        matched = request.resolver_match
        return found.defer(*self.unread) if matched and str(matched.url_name).endswith("_changelist") else found

    def has_add_permission(self, request: HttpRequest, *_: object) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def preformatted(text: str) -> SafeString:
    """Show text of any origin unchanged on a page."""
    return format_html("<pre>{}</pre>", text)


def as_json(value: object) -> SafeString:
    return preformatted(json.dumps(value, indent=2, ensure_ascii=False, sort_keys=False))
