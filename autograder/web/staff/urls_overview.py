"""URLs of the overview and the insight pages, below t/COURSE/."""

from django.urls import path

from autograder.web.staff import insight, live_activity, overview, submission_download

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("live/", live_activity.live, name="live"),
    path("exercises/<slug:assignment>/", insight.insight, name="insight"),
    path(
        "exercises/<slug:assignment>/submissions/",
        submission_download.download_submissions,
        name="download-submissions",
    ),
]
