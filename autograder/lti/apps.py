from django.apps import AppConfig


class LtiConfig(AppConfig):
    name = "autograder.lti"
    label = "lti"
