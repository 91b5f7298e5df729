"""The values that an administrator copies from Gradus into an LMS, under the names that the LMS has for them."""

from dataclasses import dataclass

from autograder.lti.models import Product
from autograder.lti.registration.tool_configuration import CUSTOM_FIELDS, ToolAddresses


@dataclass(frozen=True)
class CopiedValue:
    """A value, its usual name, and the names of the fields of one LMS into which it is copied."""

    key: str
    name: str
    value: str
    fields: str = ""


FIELDS: dict[str, dict[str, str]] = {
    Product.CANVAS: {
        "login": "OpenID Connect Initiation Url",
        "launch": "Redirect URIs, Target Link URI",
        "key_set": "Public JWK URL",
        "custom": "Custom Fields",
    },
    Product.MOODLE: {
        "login": "Initiate login URL",
        "launch": "Tool URL, Redirection URI(s)",
        "deep_linking": "Content Selection URL",
        "key_set": "Public keyset",
        "icon": "Icon URL",
        "custom": "Custom parameters",
    },
    Product.BLACKBOARD: {
        "domain": "Domain(s)",
        "login": "Login Initiation URL",
        "launch": "Tool Redirect URL(s)",
        "key_set": "Tool JWKS URL",
        "custom": "Custom Parameters",
    },
    Product.BRIGHTSPACE: {
        "domain": "Domain",
        "login": "OpenID Connect Login URL",
        "launch": "Redirect URLs, Target Link URI",
        "key_set": "Keyset URL",
        "custom": "Custom Parameters",
    },
}


def copied_values(tool: ToolAddresses, product: str = Product.OTHER) -> list[CopiedValue]:
    fields = FIELDS.get(product, {})
    custom = "\n".join(f"{name}={value}" for name, value in CUSTOM_FIELDS.items())
    values = (
        ("login", "Login URL", tool.login),
        ("launch", "Launch URL, also the redirect URL and target link URL", tool.launch),
        ("deep_linking", "Deep linking URL", tool.launch),
        ("key_set", "Key set URL", tool.key_set),
        ("domain", "Domain", tool.domain),
        ("icon", "Icon", tool.icon),
        ("custom", "Custom fields", custom),
    )
    return [CopiedValue(key, name, value, fields.get(key, "")) for key, name, value in values]
