"""Addresses of the overview and of what goes wrong in an exercise, below t/COURSE/."""

from django.urls import path

from autograder.web.staff import downloading, insight, overview, watching

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("live/", watching.live, name="live"),
    path("exercises/<slug:assignment>/", insight.insight, name="insight"),
    path(
        "exercises/<slug:assignment>/submissions/",
        downloading.download_submissions,
        name="download-submissions",
    ),
]
