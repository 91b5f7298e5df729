"""URLs of the gradebook pages, below t/COURSE/."""

from django.urls import path
from django.urls.resolvers import URLPattern

from autograder.web.staff import (
    bulk_extensions,
    exports,
    freeze,
    gradebook,
    lms_ids_import,
    marking,
    score_import,
    student_grades,
)

urlpatterns: list[URLPattern] = [
    path("gradebook/", gradebook.gradebook, name="gradebook"),
    path("gradebook/extend/", bulk_extensions.extend, name="extend-many"),
    path("gradebook/freeze/", freeze.freeze, name="freeze"),
    path("gradebook/export/", exports.export_page, name="export"),
    path("gradebook/marking/", marking.marking, name="marking"),
    path("gradebook/marking/next/", marking.mark_next, name="mark-next"),
    path("gradebook/ids/", lms_ids_import.import_ids, name="import-ids"),
    path("gradebook/scores/", score_import.import_scores, name="import-scores"),
    path("gradebook/<int:member>/", student_grades.student_grades, name="student-grades"),
]
