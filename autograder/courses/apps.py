from django.apps import AppConfig


class CoursesConfig(AppConfig):
    name = "autograder.courses"
    label = "courses"
