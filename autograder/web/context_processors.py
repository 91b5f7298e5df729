"""Context for all templates."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from autograder.web.accounts import demo
from autograder.web.accounts.preferences import THEME, THEMES
from autograder.web.navigation import navigation_of


def site_context(request: HttpRequest) -> dict[str, Any]:
    """Context processor for all templates. The navigation is lazy, so it costs a query only where it is rendered."""
    chosen = request.COOKIES.get(THEME, "")
    return {
        "themes": THEMES,
        "theme": chosen if chosen in ("light", "dark") else "",
        "navigation": SimpleLazyObject(lambda: navigation_of(request)),
        "demo_bar": SimpleLazyObject(lambda: demo.bar_of(request)),
    }
