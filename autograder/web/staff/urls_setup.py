"""URLs of the setup pages of a course, below t/COURSE/."""

from django.urls import path

from autograder.web.staff import (
    assignment_settings,
    available_exercises,
    criteria,
    exercises,
    first_passwords,
    history,
    invitations,
    member_account,
    new_course,
    people,
    roster,
    settings,
)

urlpatterns = [
    path("settings/", settings.settings, name="settings"),
    path("history/", history.history, name="course-history"),
    path("copy/", new_course.copy_course, name="copy-course"),
    path("exercises/", exercises.exercises, name="exercises"),
    path("assign/", exercises.assign, name="assign"),
    path("assign/<slug:exercise>/", available_exercises.exercise_preview, name="exercise-preview"),
    path("exercises/<slug:assignment>/settings/", assignment_settings.assignment_settings, name="assignment-settings"),
    path("exercises/<slug:assignment>/criteria/", criteria.criteria, name="criteria"),
    path("people/", people.people, name="people"),
    path("people/<int:member>/", people.one_member, name="member"),
    path("people/<int:member>/account/", member_account.member_account, name="member-account"),
    path("people/passwords/", first_passwords.passwords, name="first-passwords"),
    path("roster/", roster.roster, name="roster"),
    path("invite/", invitations.invite, name="invite"),
]
