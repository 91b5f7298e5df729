"""URLs of the pages for students, and of the parts that these pages fetch."""

from django.urls import include, path

from autograder.web.student import grades, regrade_requests, solutions, unit
from autograder.web.student.course_home import page as course_home
from autograder.web.student.exercise import answers, drafts, live, scratch, submitting
from autograder.web.student.exercise import page as exercise
from autograder.web.student.history import page as history

of_course = [
    path("", course_home.home, name="home"),
    path("grades/", grades.grades, name="grades"),
    path("units/<slug:unit>/", unit.unit, name="unit"),
    path("<slug:assignment>/", exercise.exercise, name="exercise"),
    path("<slug:assignment>/hand-in/", submitting.hand_in, name="submit"),
    path("<slug:assignment>/draft/", drafts.draft, name="draft"),
    path("<slug:assignment>/draft.py", drafts.download, name="download"),
    path("<slug:assignment>/draft.ipynb", drafts.notebook, name="notebook"),
    path("<slug:assignment>/upload/", drafts.upload, name="upload"),
    path("<slug:assignment>/starter.py", drafts.starter, name="starter"),
    path("<slug:assignment>/answers/<int:question>/", answers.answer, name="answer"),
    path("<slug:assignment>/scratch/", scratch.scratch, name="scratch"),
    path("<slug:assignment>/restore/", drafts.restore, name="restore"),
    path("<slug:assignment>/history/", history.history, name="history"),
    path("<slug:assignment>/compare/", history.compare, name="compare"),
    path("<slug:assignment>/solutions/", solutions.solutions, name="solutions"),
]

of_submission = [
    path("outcome/", live.outcome, name="outcome"),
    path("events/", live.stream, name="events"),
    path("player/<slug:check>/", live.player, name="player"),
    path("source/", live.source, name="source"),
    path("answers/<int:question>/", answers.handed_in, name="handed-in-answer"),
    path("request/", regrade_requests.regrade_request, name="regrade-request"),
]

urlpatterns = [
    path("c/<slug:course>/", include(of_course)),
    path("s/<int:number>/", include(of_submission)),
    path("go-on/<slug:course>/", course_home.next_exercise, name="next-exercise"),
    path("scratch/<int:run>/", scratch.scratch_run, name="scratch-run"),
]
