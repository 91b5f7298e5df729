"""The platform side of LTI 1.3 Advantage, as an HTTP server on loopback for tests of the tool.

with Platform(CANVAS) as platform:
    registration = platform.register_tool(login_url=..., redirect_uris=[...], key_set_url=...)
    course, ana = platform.add_context("Automatic Differentiation"), platform.add_user("Ana", "Silva")
    platform.enrol(course, ana, "Learner")
    link = platform.add_link(course, "ReLU backward")
    page.goto(platform.launch_url(link, ana, frame=True))
"""

from .flavours import BLACKBOARD, BRIGHTSPACE, CANVAS, MOODLE, Flavour
from .platform import Platform, Registration
from .server import Form, Response
from .state import Context, LineItem, Link, Membership, Result, User
from .tampering import TAMPERINGS, Tampering

__all__ = [
    "BLACKBOARD",
    "BRIGHTSPACE",
    "CANVAS",
    "MOODLE",
    "TAMPERINGS",
    "Context",
    "Flavour",
    "Form",
    "LineItem",
    "Link",
    "Membership",
    "Platform",
    "Registration",
    "Response",
    "Result",
    "Tampering",
    "User",
]
