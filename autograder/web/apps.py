"""The app."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "autograder.web"
    label = "web"
