"""Pages for what went wrong: whose fault it is, and what to do."""

import logging

from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.shortcuts import render

log = logging.getLogger("gradus.web")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    words = "There is no such page, or it is not yours to see. The address may be cut short, or you are signed in as somebody else."
    return render(request, "web/trouble.html", {"heading": "Nothing here", "words": words}, status=404)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    words = "You may not do this. If you think that you should, ask your instructor."
    return render(request, "web/trouble.html", {"heading": "Not allowed", "words": words}, status=403)


def expired(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form without a good token: an old page, or cookies that are switched off."""
    words = (
        "The page was too old, or your browser keeps no cookies, so nothing was sent. Go back, load it again and repeat it; "
        "what you typed is still there."
    )
    return render(request, "web/trouble.html", {"heading": "That page was too old", "words": words}, status=403)


def broken(request: HttpRequest) -> HttpResponse:
    """Ours. Without the database and without templates that need it: they may be what broke."""
    words = (
        "Something on our side broke. It is not your doing, and nothing that was handed in is lost. Try again in a minute."
    )
    return HttpResponseServerError(
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Our error · Gradus</title><h1>Our error</h1><p>{words}</p>"
    )
