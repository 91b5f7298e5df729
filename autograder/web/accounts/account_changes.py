"""Changes that others made to an account: shown once after the next login, and listed permanently on the account page."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from autograder.courses.accounts.validation import LABELS
from autograder.courses.models import AuditEntry, User
from autograder.web import timestamps
from autograder.web.timestamps import zone_of

BY_OTHERS = ("reset-link-made", "account-corrected", "email-cleared", "password-ended")
BY_THEMSELVES = ("password-reset", "password-changed")
SHOWN = 50


@dataclass(frozen=True)
class AccountChange:
    """One change. `changes` holds (field, old value, new value)."""

    at: datetime
    words: str
    changes: tuple[tuple[str, str, str], ...] = ()


def show_changes(request: HttpRequest, user: User, since: datetime | None) -> None:
    """Add a message for each change by others since the previous login."""
    with timezone.override(zone_of(request, user)):
        for entry in reversed(_by_others(user, since)):
            messages.warning(request, f"{_sentence(entry, user)} Your account page has the details.")


def changes_by_others(user: User) -> list[AccountChange]:
    """Return the changes to the user's account, newest first."""
    about = Q(membership__user=user, action__in=BY_OTHERS) | Q(actor=user, action__in=BY_THEMSELVES)
    entries = AuditEntry.objects.filter(about).select_related("course").order_by("-id")[:SHOWN]
    return [AccountChange(entry.at, _sentence(entry, user), _changes(entry)) for entry in entries]


def _by_others(user: User, since: datetime | None) -> list[AuditEntry]:
    entries = AuditEntry.objects.filter(membership__user=user, action__in=BY_OTHERS).exclude(actor=user)
    if since is not None:
        entries = entries.filter(at__gt=since)
    return list(entries.select_related("course").order_by("-id")[:5])


def _sentence(entry: AuditEntry, user: User) -> str:
    on = timestamps.date_and_time(entry.at)
    who = f"An instructor of {entry.course.title}" if entry.actor_id and entry.course else "An operator of the site"
    match entry.action:
        case "reset-link-made":
            return f"{who} created a reset link for your account on {on}."
        case "account-corrected":
            return f"{who} changed the {' and the '.join(name for name, _, _ in _changes(entry))} of your account on {on}."
        case "email-cleared":
            return f"Your email address was removed on {on}, because another account has it. Sign in with your login."
        case "password-ended":
            course = entry.course.title if entry.course else "another course"
            return f"Your password stopped working on {on}, when you joined {course}: staff of another course might have known it."
        case "password-reset":
            return f"A new password was chosen with a reset link on {on}."
    return f"You changed your password on {on}."


def _changes(entry: AuditEntry) -> tuple[tuple[str, str, str], ...]:
    changes = entry.details.get("changes", {})
    return tuple((LABELS.get(name, name), before or "none", after or "none") for name, (before, after) in changes.items())
