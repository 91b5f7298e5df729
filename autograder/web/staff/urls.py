"""URLs of the staff pages, below t/."""

from django.urls import include, path

from autograder.web.staff import insight
from autograder.web.staff.grading import (
    exports,
    freeze,
    gradebook,
    marking,
    regrade_requests,
    score_import,
    student_grades,
    submission_download,
)
from autograder.web.staff.grading.regrades import page as regrades
from autograder.web.staff.grading.submission import page as submission
from autograder.web.staff.history import page as history
from autograder.web.staff.overview import live_activity
from autograder.web.staff.overview import page as overview
from autograder.web.staff.people import (
    bulk_extensions,
    first_passwords,
    invitations,
    lms_ids_import,
    lms_roster,
    member,
    member_account,
    member_list,
    roster,
    student,
)
from autograder.web.staff.setup import course_settings, lms, new_course
from autograder.web.staff.setup.assignment_settings import criteria
from autograder.web.staff.setup.assignment_settings import page as assignment_settings
from autograder.web.staff.setup.drafts import page as drafts
from autograder.web.staff.setup.drafts import publish, workspace
from autograder.web.staff.setup.drafts import settings as draft_settings
from autograder.web.staff.setup.exercises import available_exercises, edit_several
from autograder.web.staff.setup.exercises import page as exercises

of_course = [
    path("", overview.overview, name="overview"),
    path("live/", live_activity.live, name="live"),
    path("history/", history.history, name="course-history"),
    path("exercises/<slug:assignment>/", insight.insight, name="insight"),
]

people = [
    path("people/", member_list.people, name="people"),
    path("people/passwords/", first_passwords.passwords, name="first-passwords"),
    path("people/<int:member>/", member.member_page, name="member"),
    path("people/<int:member>/account/", member_account.member_account, name="member-account"),
    path("roster/", roster.roster, name="roster"),
    path("lms/roster/", lms_roster.lms_roster, name="lms-roster"),
    path("invite/", invitations.invite, name="invite"),
    path("students/<int:member>/", student.student, name="student"),
    path("gradebook/extend/", bulk_extensions.extend, name="bulk-extensions"),
    path("gradebook/ids/", lms_ids_import.import_ids, name="import-lms-ids"),
]

grading = [
    path("gradebook/", gradebook.gradebook, name="gradebook"),
    path("gradebook/freeze/", freeze.freeze, name="freeze"),
    path("gradebook/export/", exports.export_page, name="export"),
    path("gradebook/marking/", marking.marking, name="marking"),
    path("gradebook/marking/next/", marking.mark_next, name="mark-next"),
    path("gradebook/scores/", score_import.import_scores, name="import-scores"),
    path("gradebook/<int:member>/", student_grades.student_grades, name="student-grades"),
    path("submissions/<int:number>/", submission.submission, name="submission"),
    path(
        "exercises/<slug:assignment>/submissions/",
        submission_download.download_submissions,
        name="download-submissions",
    ),
    path("requests/", regrade_requests.regrade_requests, name="regrade-requests"),
    path("regrades/", regrades.regrades, name="regrades"),
    path("regrades/new/", regrades.new_regrade, name="new-regrade"),
    path("regrades/<int:batch>/", regrades.regrade, name="regrade"),
    path("regrades/<int:batch>/progress/", regrades.regrade_progress, name="regrade-progress"),
]

setup = [
    path("settings/", course_settings.settings, name="settings"),
    path("lms/", lms.lms, name="lms"),
    path("copy/", new_course.copy_course, name="copy-course"),
    path("exercises/", exercises.exercises, name="exercises"),
    path("assign/", exercises.assign, name="assign"),
    path("assign-plan/", exercises.plan_as_typed, name="assign-plan"),
    path("assign/<slug:exercise>/", available_exercises.exercise_preview, name="exercise-preview"),
    path("edit-exercises/", edit_several.edit_exercises, name="edit-exercises"),
    path("edit-exercises/plan/", edit_several.changes_as_typed, name="edit-exercises-plan"),
    path("order-exercises/", exercises.order, name="order-exercises"),
    path("drafts/", drafts.drafts, name="drafts"),
    path("drafts/<slug:draft>/", workspace.workspace, name="workspace"),
    path("drafts/<slug:draft>/zip/", drafts.download, name="draft-zip"),
    path("drafts/<slug:draft>/save/", workspace.save, name="draft-save"),
    path("drafts/<slug:draft>/files/", workspace.change_files, name="draft-files"),
    path("drafts/<slug:draft>/proof/", workspace.proof, name="draft-proof"),
    path("drafts/<slug:draft>/preview/", workspace.preview, name="draft-preview"),
    path("drafts/<slug:draft>/here/", workspace.here, name="draft-here"),
    path("drafts/<slug:draft>/survivor/", workspace.use_survivor, name="draft-survivor"),
    path("drafts/<slug:draft>/settings/", draft_settings.change_settings, name="draft-settings"),
    path("drafts/<slug:draft>/try/", publish.try_out, name="draft-try"),
    path("drafts/<slug:draft>/publish/", publish.publish, name="draft-publish"),
    path("drafts/<slug:draft>/decide/", publish.change_publication, name="draft-decide"),
    path("drafts/<slug:draft>/versions/<int:version>/", publish.version, name="draft-version"),
    path("exercises/<slug:assignment>/settings/", assignment_settings.assignment_settings, name="assignment-settings"),
    path("exercises/<slug:assignment>/late-chart/", assignment_settings.late_chart_as_typed, name="late-chart"),
    path("exercises/<slug:assignment>/criteria/", criteria.criteria, name="criteria"),
]

urlpatterns = [
    path("new/", new_course.new_course, name="new-course"),
    path("<slug:course>/", include([*of_course, *people, *grading, *setup])),
]
