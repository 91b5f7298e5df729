"""Read-only admin pages for overrides, marks, excuses, rules, freezes, named mistakes and regrade requests."""

from typing import ClassVar

from django.contrib import admin

from autograder.gradebook.models import (
    Excuse,
    Freeze,
    Mark,
    Marking,
    NamedMistake,
    Override,
    RegradeRequest,
    ScoreImport,
    UnitRule,
)
from autograder.library.read_only_admin import Inspection


@admin.register(Override)
class OverrideAdmin(Inspection):
    list_display = ("membership", "assignment", "points", "reason", "author", "made_at", "undone_at", "undone_by")
    list_filter = ("assignment__course",)
    list_select_related = ("membership__user", "membership__course", "assignment__course", "author", "undone_by")
    search_fields = ("membership__user__username", "assignment__slug", "reason")


@admin.register(ScoreImport)
class ScoreImportAdmin(Inspection):
    list_display = ("file_name", "course", "author", "made_at", "undone_at", "undone_by")
    list_filter = ("course",)
    list_select_related = ("course", "author", "undone_by")
    search_fields = ("file_name", "course__slug")


@admin.register(Excuse)
class ExcuseAdmin(Inspection):
    list_display = ("membership", "assignment", "reason", "author", "made_at", "withdrawn_at", "withdrawn_by")
    list_filter = ("assignment__course",)
    list_select_related = ("membership__user", "membership__course", "assignment__course", "author", "withdrawn_by")
    search_fields = ("membership__user__username", "assignment__slug", "reason")


@admin.register(Marking)
class MarkingAdmin(Inspection):
    list_display = ("submission_id", "author", "made_at", "replaced_at")
    list_filter = ("submission__assignment__course",)
    list_select_related = ("author",)
    search_fields = ("submission__membership__user__username", "submission__assignment__slug", "remark")


@admin.register(Mark)
class MarkAdmin(Inspection):
    list_display = ("marking", "criterion", "points")
    list_filter = ("criterion__assignment__course",)
    list_select_related = ("marking", "criterion__assignment")
    search_fields = ("criterion__title", "criterion__assignment__slug")


@admin.register(UnitRule)
class UnitRuleAdmin(Inspection):
    list_display = ("course", "unit", "weight", "drop_lowest")
    list_filter = ("course",)
    list_select_related = ("course",)
    search_fields = ("unit", "course__slug")


@admin.register(Freeze)
class FreezeAdmin(Inspection):
    list_display = ("course", "at", "by", "lifted_at", "lifted_by")
    list_filter = ("course",)
    list_select_related = ("course", "by", "lifted_by")
    search_fields = ("course__slug",)
    unread: ClassVar = ("points", "basis")


@admin.register(NamedMistake)
class NamedMistakeAdmin(Inspection):
    list_display = ("name", "assignment", "check_id", "named_by", "named_at", "taken_back_at", "taken_back_by")
    list_filter = ("assignment__course",)
    list_select_related = ("assignment__course", "named_by", "taken_back_by")
    search_fields = ("name", "assignment__slug")


@admin.register(RegradeRequest)
class RegradeRequestAdmin(Inspection):
    list_display = ("submission", "check_title", "state", "asked_at", "ended_at", "answered_by")
    list_filter = ("state", "submission__assignment__course")
    list_select_related = (
        "submission__membership__user",
        "submission__membership__course",
        "submission__assignment",
        "answered_by",
    )
    search_fields = ("submission__membership__user__username", "submission__assignment__slug", "check_title")
    unread: ClassVar = ("submission__source",)
