"""Addresses of this part of the staff's pages, below t/COURSE/."""

from django.urls import path
from django.urls.resolvers import URLPattern

from autograder.web.staff import (
    exporting,
    extending,
    freezing,
    gradebook,
    importing_ids,
    importing_scores,
    marking,
    student_grades,
)

urlpatterns: list[URLPattern] = [
    path("gradebook/", gradebook.gradebook, name="gradebook"),
    path("gradebook/extend/", extending.extend, name="extend-many"),
    path("gradebook/freeze/", freezing.freeze, name="freeze"),
    path("gradebook/export/", exporting.export_page, name="export"),
    path("gradebook/marking/", marking.marking, name="marking"),
    path("gradebook/marking/next/", marking.mark_next, name="mark-next"),
    path("gradebook/ids/", importing_ids.import_ids, name="import-ids"),
    path("gradebook/scores/", importing_scores.import_scores, name="import-scores"),
    path("gradebook/<int:member>/", student_grades.student_grades, name="student-grades"),
]
