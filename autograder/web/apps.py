from django.apps import AppConfig
from django.conf import settings
from django.contrib.auth.signals import user_logged_in

from autograder.settings import checks


class WebConfig(AppConfig):
    name = "autograder.web"
    label = "web"

    def ready(self) -> None:
        from autograder.web.backends import sessions

        if settings.PRODUCTION:
            checks.refuse_unfit()
        user_logged_in.connect(sessions.begin, dispatch_uid="gradus.sessions")
