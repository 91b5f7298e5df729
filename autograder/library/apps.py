from django.apps import AppConfig


class LibraryConfig(AppConfig):
    name = "autograder.library"
    label = "library"
