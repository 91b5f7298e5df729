"""URLs of all pages. Each audience has a `urls.py` of its own."""

from django.urls import include, path

urlpatterns = [
    path("", include("autograder.web.public.urls")),
    path("", include("autograder.web.accounts.urls")),
    path("", include("autograder.web.monitoring.urls")),
    path("lti/", include("autograder.web.lti.urls")),
    path("t/", include("autograder.web.staff.urls")),
    path("", include("autograder.web.student.urls")),
]
