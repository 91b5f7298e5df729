"""What an LMS has to know about Gradus: its addresses, the permissions that it needs, and the same as metadata of the tool for
dynamic registration."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.templatetags.static import static
from django.urls import reverse

from autograder.lti.messages import HISTORY, SECTIONS, Kind
from autograder.lti.services.tokens import ALL_SCOPES

NAME = "Gradus"
DESCRIPTION = "Programming exercises about automatic differentiation, graded automatically."
CLAIMS = ("iss", "sub", "name", "given_name", "family_name", "email")
CUSTOM_FIELDS = {
    HISTORY: "$Context.id.history",  # from which course this one was copied
    SECTIONS: "$com.instructure.User.sectionNames",  # replaced by Canvas alone
}
TOOL_CONFIGURATION = "https://purl.imsglobal.org/spec/lti-tool-configuration"
CANVAS = "https://canvas.instructure.com/lti/"
PLACEMENTS = ("ContentArea", "assignment_selection", "link_selection")  # the last two are those of Canvas


@dataclass(frozen=True)
class ToolAddresses:
    """The addresses of Gradus that an administrator copies into an LMS."""

    site: str
    login: str
    launch: str  # also of deep linking and of submission reviews
    key_set: str
    icon: str

    @property
    def domain(self) -> str:
        return urlsplit(self.site).netloc


def tool_addresses(site_url: str) -> ToolAddresses:
    """`site_url` is the address of the site, such as https://gradus.example.org/."""
    site = site_url.rstrip("/")
    paths = (reverse("lti-login"), reverse("lti-launch"), reverse("lti-jwks"), static("web/icon.svg"))
    return ToolAddresses(f"{site}/", *(f"{site}{path}" for path in paths))


def tool_metadata(tool: ToolAddresses, *, scopes: Sequence[str], messages: Sequence[str], placements: Sequence[str]) -> Any:
    """Return the metadata of the tool for a platform that supports these scopes, messages and placements.

    Some platforms refuse what they do not know. One that says nothing about itself gets everything.
    """
    placed = [name for name in PLACEMENTS if name in placements] or ["ContentArea"]
    offered = [
        {"type": Kind.RESOURCE, "target_link_uri": tool.launch, "label": NAME},
        {"type": Kind.DEEP_LINKING, "target_link_uri": tool.launch, "label": NAME, "placements": placed},
    ]
    if Kind.REVIEW in messages or not messages:
        offered.append({"type": Kind.REVIEW, "target_link_uri": tool.launch})
    wanted = [scope for scope in ALL_SCOPES if scope in scopes] or list(ALL_SCOPES)
    return {
        "application_type": "web",
        "response_types": ["id_token"],
        "grant_types": ["implicit", "client_credentials"],
        "client_name": NAME,
        "client_uri": tool.site,
        "logo_uri": tool.icon,
        "initiate_login_uri": tool.login,
        "redirect_uris": [tool.launch],
        "jwks_uri": tool.key_set,
        "token_endpoint_auth_method": "private_key_jwt",
        "id_token_signed_response_alg": "RS256",
        "scope": " ".join(wanted),
        TOOL_CONFIGURATION: {
            "domain": tool.domain,
            "description": DESCRIPTION,
            "target_link_uri": tool.launch,
            "custom_parameters": CUSTOM_FIELDS,
            "claims": list(CLAIMS),
            "messages": offered,
            f"{CANVAS}privacy_level": "public",  # names and email addresses are shared
        },
    }
