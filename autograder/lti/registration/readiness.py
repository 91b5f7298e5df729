"""Whether a registration will work, checked before the first class: keys, access token, permissions, clock."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from autograder.lti.errors import PlatformTrouble
from autograder.lti.launch import id_tokens
from autograder.lti.launch.id_tokens import LEEWAY
from autograder.lti.models import Deployment, Product, Registration
from autograder.lti.registration.tool_configuration import ToolAddresses
from autograder.lti.services import tokens
from autograder.lti.services.outbound import Answer
from autograder.lti.services.tokens import LINE_ITEMS, LINE_ITEMS_READ, MEMBERS, RESULTS, SCORES


@dataclass(frozen=True)
class Finding:
    """The result of one check: what was found, and if it failed, what to do."""

    title: str
    passed: bool
    words: str
    cure: str = ""


@dataclass(frozen=True)
class Service:
    """A service of the LMS, its scope, and what works with or without it."""

    title: str
    scope: str
    allowed: str
    refused: str


SERVICES = (
    Service(
        "Columns",
        LINE_ITEMS,
        "Gradus may create columns in the gradebook of the LMS.",
        "Gradus may not create columns in the gradebook, so each exercise must be linked with a column of its own.",
    ),
    Service("Scores", SCORES, "Gradus may send scores.", "Gradus may not send scores, so no points reach the LMS."),
    Service(
        "Results",
        RESULTS,
        "Gradus may read results.",
        "Gradus may not read results, so it cannot show which of them were changed in the LMS.",
    ),
    Service(
        "Members",
        MEMBERS,
        "Gradus may read the list of members.",
        "Gradus may not read the list of members, so people appear here only after they have opened a link.",
    ),
)
REQUESTED = (LINE_ITEMS, LINE_ITEMS_READ, SCORES, RESULTS, MEMBERS)
WHERE_TO_ALLOW: dict[str, str] = {
    Product.CANVAS: "Allow it in the LTI key or app of Gradus in Canvas.",
    Product.MOODLE: "Allow it under Services in the settings of the tool in Moodle.",
    Product.BLACKBOARD: "Allow it in the settings of the tool in Blackboard (LTI Tool Providers).",
    Product.BRIGHTSPACE: "Allow it under Extensions, in both the registration and the deployment in Brightspace.",
}


def readiness(registration: Registration, tool: ToolAddresses) -> list[Finding]:
    """Run all checks. Each is one line, whether or not an earlier one failed."""
    return list(_findings(registration, tool))


def _findings(registration: Registration, tool: ToolAddresses) -> Iterator[Finding]:
    yield _active(registration)
    yield _deployments(registration)
    keys, answer = _key_set(registration)
    yield keys
    try:
        token = tokens.token_request(registration, REQUESTED)
    except PlatformTrouble as trouble:
        yield Finding("Access token", False, trouble.message, _cure_of_token(registration, trouble, tool))
    else:
        yield Finding("Access token", True, "The LMS accepts the signature of Gradus.")
        yield from (_service(registration, service, token.scopes) for service in SERVICES)
        answer = token.answer
    if answer is not None:
        yield _clock(answer.date, timezone.now())


def _active(registration: Registration) -> Finding:
    if registration.active:
        return Finding("Registration", True, "The registration is active.")
    return Finding("Registration", False, "The registration is not active, so all launches are refused.", "Activate it.")


def _deployments(registration: Registration) -> Finding:
    states = list(registration.deployments.values_list("state", flat=True))
    approved, waiting = states.count(Deployment.State.APPROVED), states.count(Deployment.State.WAITING)
    title, shown = "Deployments", f"{approved} approved, {waiting} waiting for approval."
    if waiting:
        return Finding(title, False, shown, "Approve those that you know, and refuse the others.")
    if not approved:
        cure = "Add the deployment ID that the LMS shows, or open Gradus from the LMS once and approve the new deployment."
        return Finding(title, False, shown, cure)
    return Finding(title, True, shown)


def _key_set(registration: Registration) -> tuple[Finding, Answer | None]:
    """Return what was found about the key set, and the answer, for its date."""
    answer = None
    try:
        answer = id_tokens.key_set_request(registration)
        usable = id_tokens.keys_store(registration, answer)
    except PlatformTrouble as trouble:
        cure = f"Compare the key set URL with the one that the LMS shows: {registration.key_set_url}"
        return Finding("Key set", False, trouble.message, cure), answer
    return Finding("Key set", True, f"The LMS publishes {usable} usable {'key' if usable == 1 else 'keys'}."), answer


def _service(registration: Registration, service: Service, granted: frozenset[str]) -> Finding:
    if service.scope in granted:
        return Finding(service.title, True, service.allowed)
    cure = WHERE_TO_ALLOW.get(registration.product, "Allow it in the registration of Gradus in the LMS.")
    return Finding(service.title, False, service.refused, cure)


def _clock(theirs: datetime | None, ours: datetime) -> Finding:
    if theirs is None:
        return Finding("Clock", True, "The LMS did not say what time it is.")
    seconds = round((theirs - ours).total_seconds())
    apart = f"{abs(seconds)} seconds" if abs(seconds) < 120 else f"{abs(seconds) // 60} minutes"
    words = f"The clock of the LMS is {apart} {'ahead' if seconds > 0 else 'behind'}."
    if timedelta(seconds=abs(seconds)) <= LEEWAY:
        return Finding("Clock", True, words if abs(seconds) > 1 else "The clocks agree.")
    return Finding("Clock", False, words, "Launches are refused as expired. Synchronise both clocks with NTP.")


def _cure_of_token(registration: Registration, trouble: PlatformTrouble, tool: ToolAddresses) -> str:
    if trouble.again:
        return "Try again in some minutes. If it stays like this, compare the access token URL with the one of the LMS."
    audience = registration.audience or registration.token_url
    return (
        f"In the LMS, check that Gradus is active, that its client ID is {registration.client_id}, and that its key set URL is "
        f"{tool.key_set}, which the LMS must be able to reach. Then compare the access token URL, and the token audience, "
        f"which is {audience}."
    )
