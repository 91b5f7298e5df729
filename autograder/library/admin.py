"""Read-only admin pages for exercises and their versions."""

from typing import ClassVar

from django.contrib import admin

from autograder.library.models import Exercise, ExerciseVersion, UnitPage, VersionPage
from autograder.library.read_only_admin import Inspection


@admin.register(Exercise)
class ExerciseAdmin(Inspection):
    list_display = ("slug", "created_at")
    search_fields = ("slug",)


@admin.register(ExerciseVersion)
class ExerciseVersionAdmin(Inspection):
    list_display = ("exercise", "hash", "title", "unit", "kind", "profile", "points", "loaded_at")
    list_filter = ("profile", "kind", "unit")
    list_select_related = ("exercise",)
    search_fields = ("exercise__slug", "hash", "title")
    date_hierarchy = "loaded_at"
    exclude = ("archive",)
    unread: ClassVar = ("archive",)


@admin.register(VersionPage)
class VersionPageAdmin(Inspection):
    list_display = ("version", "made_by", "summary", "math")
    list_filter = ("made_by",)
    list_select_related = ("version__exercise",)
    search_fields = ("version__exercise__slug", "summary")
    unread: ClassVar = ("version__archive", "statement", "starter", "checks")


@admin.register(UnitPage)
class UnitPageAdmin(Inspection):
    list_display = ("title", "slug", "math")
    search_fields = ("title",)
    unread: ClassVar = ("text",)
