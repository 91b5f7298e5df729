"""URLs of the staff pages."""

from django.urls import include, path

PARTS = ("overview", "gradebook", "setup", "submission")

urlpatterns = [path("", include(f"autograder.web.staff.urls_{part}")) for part in PARTS]
