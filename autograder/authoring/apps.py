from django.apps import AppConfig


class AuthoringConfig(AppConfig):
    name = "autograder.authoring"
    label = "authoring"
