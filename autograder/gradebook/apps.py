from django.apps import AppConfig


class GradebookConfig(AppConfig):
    name = "autograder.gradebook"
    label = "gradebook"
