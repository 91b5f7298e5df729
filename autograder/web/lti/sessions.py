"""Begins the session of a person who comes from an LMS, in a window of its own or in a frame of the LMS."""

from django.contrib.auth import login
from django.http import HttpRequest

from autograder.courses.models import User
from autograder.lti.messages import Message
from autograder.lti.models import Deployment
from autograder.web.middleware import frames

BACKEND = "autograder.web.accounts.authentication.NameOrEmail"


def begin(request: HttpRequest, user: User, deployment: Deployment, message: Message) -> None:
    if request.user != user:
        login(request, user, backend=BACKEND)
    if frames.is_framed(request):
        request.session[frames.ANCESTORS] = embedders_of(deployment, message)
    else:
        request.session.pop(frames.ANCESTORS, None)


def embedders_of(deployment: Deployment, message: Message) -> list[str]:
    """Return the origins of an LMS: of its registration, and of the addresses to which its signed message returns."""
    registration = deployment.registration
    urls = [registration.issuer, registration.auth_url, message.presentation.return_url]
    if message.deep_linking is not None:
        urls.append(message.deep_linking.deep_link_return_url)
    return sorted({origin for url in urls if (origin := frames.origin_of(url))})
