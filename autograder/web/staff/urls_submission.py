"""URLs of the pages for students, submissions, requests and regrades, below t/COURSE/."""

from django.urls import path
from django.urls.resolvers import URLPattern

from autograder.web.staff import regrade_requests, regrades, student, submission

urlpatterns: list[URLPattern] = [
    path("students/<int:member>/", student.student, name="student"),
    path("submissions/<int:number>/", submission.submission, name="submission"),
    path("requests/", regrade_requests.regrade_requests, name="regrade-requests"),
    path("regrades/", regrades.regrades, name="regrades"),
    path("regrades/new/", regrades.new_regrade, name="new-regrade"),
    path("regrades/<int:batch>/", regrades.regrade, name="regrade"),
    path("regrades/<int:batch>/progress/", regrades.regrade_progress, name="regrade-progress"),
]
