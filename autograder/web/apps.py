from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in


class WebConfig(AppConfig):
    name = "autograder.web"
    label = "web"

    def ready(self) -> None:
        from autograder.web import sessions

        user_logged_in.connect(sessions.begin, dispatch_uid="gradus.sessions")
