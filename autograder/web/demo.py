"""What the front page shows of Gradus, and the accounts of the demo course, where an operator chose to show them."""

from dataclasses import dataclass

from django.conf import settings
from django.utils.safestring import SafeString

from autograder.courses.models import Membership


@dataclass(frozen=True)
class Account:
    login: str
    password: str
    who: str


def accounts() -> list[Account]:
    """None unless the site was started with a password for the demo (`manage.py up` on one's own machine does)."""
    if not settings.DEMO_PASSWORD:
        return []
    shown = {"owner": "the course's owner", "student": "a student"}
    found: list[Account] = []
    members = Membership.objects.filter(course__slug="demo", removed_at=None, role__in=shown).select_related("user")
    for membership in members.order_by("user__username"):
        if sum(account.who == shown[membership.role] for account in found) < 2:
            found.append(Account(membership.user.username, settings.DEMO_PASSWORD, shown[membership.role]))
    return sorted(found, key=lambda account: account.who, reverse=True)


def front_player() -> SafeString:
    from autograder.web.player import front, render_player

    return render_player(front.EXAMPLE, trace_id="front", base_url="/", heading=2)
