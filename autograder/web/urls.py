"""URLs of all pages."""

from django.contrib.auth.views import LogoutView
from django.urls import include, path

from autograder.web import account, joining, own_account, password_resets
from autograder.web.monitoring import health, metrics, status
from autograder.web.staff import new_course
from autograder.web.student import editor, grades, history, home, live, regrade_requests, scratch, solutions, submitting

urlpatterns = [
    path("", account.front, name="front"),
    path("sign-in/", account.SignIn.as_view(), name="sign-in"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("account/", own_account.own_account, name="account"),
    path("password/", account.Password.as_view(), name="password"),
    path("forgot-password/", password_resets.forgot_password, name="forgot-password"),
    path("reset/<str:token>/", password_resets.reset, name="reset"),
    path("theme/", account.theme, name="theme"),
    path("time-zone/", account.time_zone, name="time-zone"),
    path("help/", account.help_page, name="help"),
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
    path("status/", status.status, name="status"),
    path("go-on/<slug:course>/", home.go_on, name="go-on"),
    path("c/<slug:course>/", home.home, name="home"),
    path("c/<slug:course>/grades/", grades.grades, name="grades"),
    path("c/<slug:course>/<slug:assignment>/", editor.desk, name="desk"),
    path("c/<slug:course>/<slug:assignment>/hand-in/", submitting.hand_in, name="hand-in"),
    path("c/<slug:course>/<slug:assignment>/draft/", submitting.draft, name="draft"),
    path("c/<slug:course>/<slug:assignment>/draft.py", submitting.download, name="download"),
    path("c/<slug:course>/<slug:assignment>/starter.py", submitting.starter, name="starter"),
    path("c/<slug:course>/<slug:assignment>/scratch/", scratch.scratch, name="scratch"),
    path("c/<slug:course>/<slug:assignment>/restore/", submitting.restore, name="restore"),
    path("c/<slug:course>/<slug:assignment>/history/", history.history, name="history"),
    path("c/<slug:course>/<slug:assignment>/compare/", history.compare, name="compare"),
    path("c/<slug:course>/<slug:assignment>/solutions/", solutions.solutions, name="solutions"),
    path("t/new/", new_course.new_course, name="new-course"),
    path("join/<str:token>/", joining.join, name="join"),
    path("t/<slug:course>/", include("autograder.web.staff.urls")),
    path("scratch/<int:run>/", scratch.scratch_run, name="scratch-run"),
    path("s/<int:number>/outcome/", live.outcome, name="outcome"),
    path("s/<int:number>/events/", live.stream, name="events"),
    path("s/<int:number>/player/<slug:check>/", live.player, name="player"),
    path("s/<int:number>/request/", regrade_requests.regrade_request, name="regrade-request"),
    path("s/<int:number>/source/", live.source, name="source"),
]
