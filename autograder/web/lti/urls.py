"""URLs of LTI, below lti/."""

from django.urls import path

from autograder.web.lti import arrival, deep_link, launch, registering, registrations

urlpatterns = [
    path("login/", launch.login, name="lti-login"),
    path("launch/", launch.launch, name="lti-launch"),
    path("continue/", launch.continue_launch, name="lti-continue"),
    path("jwks/", launch.jwks, name="lti-jwks"),
    path("register/<str:token>/", registering.register, name="lti-register"),
    path("registrations/", registrations.registration_list, name="lti-registrations"),
    path("registrations/new/", registrations.new_registration, name="lti-new-registration"),
    path("registrations/<int:number>/", registrations.registration_page, name="lti-registration"),
    path("account/<str:code>/", arrival.choose_account, name="lti-account"),
    path("connect/<str:code>/", arrival.connect, name="lti-connect"),
    path("deep-link/<str:code>/", deep_link.deep_link, name="lti-deep-link"),
]
