"""Admin views of the rate limits and the login throttle. Names and addresses are stored only as hashes."""

from django.contrib import admin

from autograder.library.read_only_admin import Inspection
from autograder.web.models import Guess, Pace


@admin.register(Pace)
class PaceAdmin(Inspection):
    list_display = ("key", "free_at")
    search_fields = ("key",)


@admin.register(Guess)
class GuessAdmin(Inspection):
    list_display = ("key", "failures", "last_at", "known_at")
    search_fields = ("key",)
