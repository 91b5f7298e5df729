"""Overrides, to look at."""

from django.contrib import admin

from autograder.gradebook.models import Override
from autograder.library.inspection import Inspection


@admin.register(Override)
class OverrideAdmin(Inspection):
    list_display = ("membership", "assignment", "points", "reason", "author", "made_at", "undone_at", "undone_by")
    list_filter = ("assignment__course",)
    list_select_related = ("membership__user", "membership__course", "assignment__course", "author", "undone_by")
    search_fields = ("membership__user__username", "assignment__slug", "reason")
