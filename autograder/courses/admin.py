"""Read-only admin pages for courses and their audit trail. Only accounts can be changed: site staff, and who may sign in."""

from typing import ClassVar

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.safestring import SafeString

from autograder.courses.models import (
    Assignment,
    AuditEntry,
    Course,
    Criterion,
    Extension,
    Invitation,
    Membership,
    OutgoingMail,
    ResetLink,
    Section,
    User,
)
from autograder.library.read_only_admin import Inspection, as_json


@admin.register(User)
class AccountAdmin(UserAdmin):  # type: ignore[type-arg]
    """Accounts are deactivated, never deleted, because grades refer to them."""

    fieldsets = (*(UserAdmin.fieldsets or ()), ("Gradus", {"fields": ("time_zone", "registered_by_link")}))

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Course)
class CourseAdmin(Inspection):
    list_display = ("slug", "title", "time_zone", "supersedes", "created_at", "archived_at")
    list_filter = ("supersedes",)
    search_fields = ("slug", "title")


@admin.register(Section)
class SectionAdmin(Inspection):
    list_display = ("name", "course")
    list_filter = ("course",)
    list_select_related = ("course",)
    search_fields = ("name", "course__slug")


@admin.register(Membership)
class MembershipAdmin(Inspection):
    list_display = ("user", "course", "role", "section", "lms_id", "sis_id", "removed_at")
    list_filter = ("role", "course")
    list_select_related = ("user", "course", "section__course")
    search_fields = ("user__username", "user__email", "user__last_name", "lms_id", "sis_id")


@admin.register(Assignment)
class AssignmentAdmin(Inspection):
    list_display = (
        "slug",
        "course",
        "title",
        "version",
        "points",
        "opens_at",
        "due_at",
        "closes_at",
        "policy",
        "removed_at",
    )
    list_filter = ("course", "policy", "show_hidden")
    list_select_related = ("course", "version__exercise")
    search_fields = ("slug", "title", "course__slug")
    unread: ClassVar = ("version__archive",)


@admin.register(Criterion)
class CriterionAdmin(Inspection):
    list_display = ("title", "assignment", "points", "position", "removed_at")
    list_filter = ("assignment__course",)
    list_select_related = ("assignment__course",)
    search_fields = ("title", "assignment__slug")


@admin.register(Extension)
class ExtensionAdmin(Inspection):
    list_display = ("membership", "assignment", "due_at", "closes_at", "extra_attempts", "granted_by", "granted_at")
    list_filter = ("assignment__course",)
    list_select_related = ("membership__user", "membership__course", "assignment__course", "granted_by")
    search_fields = ("membership__user__username", "assignment__slug", "reason")


@admin.register(Invitation)
class InvitationAdmin(Inspection):
    list_display = (
        "course",
        "role",
        "section",
        "created_by",
        "created_at",
        "expires_at",
        "uses_left",
        "is_open",
        "revoked_at",
    )
    list_filter = ("course", "role")
    list_select_related = ("course", "section__course", "created_by")
    search_fields = ("course__slug", "created_by__username")
    exclude = ("token_hash",)


@admin.register(ResetLink)
class ResetLinkAdmin(Inspection):
    list_display = ("user", "made_by", "course", "mailed", "made_at", "expires_at")
    list_select_related = ("user", "made_by", "course")
    search_fields = ("user__username", "made_by__username")
    exclude = ("token_hash", "account_mark")


@admin.register(OutgoingMail)
class OutgoingMailAdmin(Inspection):
    list_display = ("kind", "to", "made_at", "try_at", "tries", "trouble", "given_up_at")
    list_filter = ("kind",)
    search_fields = ("to", "subject")


@admin.register(AuditEntry)
class AuditEntryAdmin(Inspection):
    list_display = ("at", "actor", "action", "subject", "course")
    list_filter = ("action", "course")
    list_select_related = ("actor", "course")
    search_fields = ("subject", "actor__username", "action")
    date_hierarchy = "at"
    fields = ("at", "actor", "course", "action", "subject", "in_full")
    readonly_fields = ("in_full",)

    @admin.display(description="details")
    def in_full(self, entry: AuditEntry) -> SafeString:
        return as_json(entry.details)
