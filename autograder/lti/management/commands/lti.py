"""`manage.py lti registrations|link|check|rotate-keys`: registers LMSs, checks registrations, and changes the keys of the site."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.urls import reverse

from autograder.courses.errors import Refused
from autograder.courses.management.course_command import CourseCommand
from autograder.courses.rights import OPERATOR
from autograder.library.command import ActionParser, as_typed, printable
from autograder.lti import keys
from autograder.lti.models import Deployment, Registration
from autograder.lti.registration.readiness import readiness
from autograder.lti.registration.registrations import registration_link_create
from autograder.lti.registration.tool_configuration import tool_addresses


class Command(CourseCommand):
    help = (
        "Connects the site with LMSs by LTI 1.3. Exits with 1 if something was refused or a check failed, 2 for bad usage."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, parser_class=ActionParser)
        actions.add_parser("registrations", help="list the LMSs that are registered, and deployments that wait for approval")
        link = actions.add_parser(
            "link", help="print a link with which an LMS can register Gradus, once and within 24 hours"
        )
        check = actions.add_parser(
            "check", help="check whether a registration will work: keys, access token, services, clock"
        )
        check.add_argument("registration", metavar="NAME_OR_ID", help="as listed by manage.py lti registrations")
        for action in (link, check):
            action.add_argument("--site", metavar="URL", help="the address of this site (default: from GRADUS_HOSTS)")
        actions.add_parser(
            "rotate-keys", help="sign with a new key from now on; the old one stays published for a week, so nothing fails"
        )

    def answer(self, options: dict[str, Any]) -> None:
        getattr(self, f"_{options['action'].replace('-', '_')}")(options)

    def _registrations(self, options: dict[str, Any]) -> None:
        found = Registration.objects.prefetch_related("deployments")
        for registration in found:
            state = "active" if registration.active else "not active"
            self.stdout.write(
                f"{registration.pk}: {printable(registration.name)}, {registration.get_product_display()}, {state}"
            )
            self.stdout.write(f"   {printable(registration.issuer)}, client ID {printable(registration.client_id)}")
            for deployment in registration.deployments.all():
                words = Deployment.State(deployment.state).label.lower()
                self.stdout.write(f"   deployment {printable(deployment.deployment_id)}: {words}")
        if not found:
            self.stdout.write("No LMS is registered.")

    def _link(self, options: dict[str, Any]) -> None:
        site = _site_url(options["site"])
        made = registration_link_create(by=OPERATOR)
        self.stdout.write(f"{site}{reverse('lti-register', args=(made.token,))}")

    def _check(self, options: dict[str, Any]) -> None:
        registration = _registration_of(options["registration"])
        findings = readiness(registration, tool_addresses(_site_url(options["site"])))
        for finding in findings:
            self.stdout.write(f"{'passed' if finding.passed else 'failed'}  {finding.title}: {printable(finding.words)}")
            if finding.cure:
                self.stdout.write(f"        {printable(finding.cure)}")
        if not all(finding.passed for finding in findings):
            raise SystemExit(1)

    def _rotate_keys(self, options: dict[str, Any]) -> None:
        made = keys.keys_rotate()
        days = keys.PUBLISHED_AFTER_RETIREMENT.days
        self.stdout.write(f"Signing with the new key {made.kid}. Earlier keys stay in the key set for {days} days.")


def _registration_of(words: str) -> Registration:
    """Return a registration by its number or its name."""
    if words.isascii() and words.isdigit() and len(words) < 19:
        found = list(Registration.objects.filter(pk=int(words)))
    else:
        found = list(Registration.objects.filter(name=words))
    if len(found) > 1:
        raise Refused(
            f"Several registrations are called {words}. Use one of the IDs {', '.join(str(one.pk) for one in found)}."
        )
    if not found:
        raise Refused(f"No registration has the name or ID {words}. List them: {as_typed('lti registrations')}")
    return found[0]


def _site_url(given: str | None) -> str:
    """Return the address of the site, without a slash at its end."""
    if given:
        if not given.startswith(("https://", "http://")):
            raise Refused("The address of the site must begin with https://.")
        return given.rstrip("/")
    if not settings.PRODUCTION:
        return "http://localhost:8000"
    host = next((host for host in settings.ALLOWED_HOSTS if host[:1] not in (".", "*")), "")
    if not host:
        raise Refused("GRADUS_HOSTS contains no full host name. Pass the address of the site with --site.")
    return f"https://{host}"
