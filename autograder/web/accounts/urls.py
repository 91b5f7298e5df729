"""URLs of the pages about accounts."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from autograder.web.accounts import change_password, joining, own_account, password_resets, preferences, sign_in

urlpatterns = [
    path("sign-in/", sign_in.SignIn.as_view(), name="sign-in"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("account/", own_account.own_account, name="account"),
    path("account/unlink/", own_account.unlink_lms_account, name="unlink-lms-account"),
    path("password/", change_password.Password.as_view(), name="password"),
    path("forgot-password/", password_resets.forgot_password, name="forgot-password"),
    path("reset/<str:token>/", password_resets.reset, name="reset"),
    path("theme/", preferences.theme, name="theme"),
    path("time-zone/", preferences.time_zone, name="time-zone"),
    path("join/<str:token>/", joining.join, name="join"),
]
