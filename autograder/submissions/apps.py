from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "autograder.submissions"
    label = "submissions"
