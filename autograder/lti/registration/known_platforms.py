"""What is the same in each installation of an LMS, so that nobody has to look it up."""

from urllib.parse import urlsplit

from autograder.lti.models import Product

CANVAS_CLOUD = "https://sso.canvaslms.com"
BLACKBOARD_GATEWAY = "https://developer.blackboard.com/api/v1"
NEEDS_ADDRESS = (Product.MOODLE, Product.BRIGHTSPACE)
FAMILIES = {  # the `product_family_code` that LMSs send
    "canvas": Product.CANVAS,
    "moodle": Product.MOODLE,
    "blackboardlearn": Product.BLACKBOARD,
    "desire2learn": Product.BRIGHTSPACE,
    "brightspace": Product.BRIGHTSPACE,
}


def known_values(product: str, site: str = "", client_id: str = "") -> dict[str, str]:
    """Return the known values of a registration. `site` is the address of the LMS, where its other addresses follow from it."""
    site = site.strip().rstrip("/")
    values = {"product": product, "client_id": client_id, "name": _name(product, site)}
    match product:
        case Product.CANVAS:
            return values | {
                "issuer": "https://canvas.instructure.com",
                "auth_url": f"{CANVAS_CLOUD}/api/lti/authorize_redirect",
                "token_url": f"{CANVAS_CLOUD}/login/oauth2/token",
                "key_set_url": f"{CANVAS_CLOUD}/api/lti/security/jwks",
            }
        case Product.BLACKBOARD:
            keys = f"{BLACKBOARD_GATEWAY}/management/applications/{client_id}/jwks.json"
            return values | {
                "issuer": "https://blackboard.com",
                "auth_url": f"{BLACKBOARD_GATEWAY}/gateway/oidcauth",
                "token_url": f"{BLACKBOARD_GATEWAY}/gateway/oauth2/jwttoken",
                "key_set_url": keys if client_id else "",
            }
        case Product.MOODLE if site:
            return values | {
                "issuer": site,
                "auth_url": f"{site}/mod/lti/auth.php",
                "token_url": f"{site}/mod/lti/token.php",
                "key_set_url": f"{site}/mod/lti/certs.php",
            }
        case Product.BRIGHTSPACE:
            theirs = {
                "token_url": "https://auth.brightspace.com/core/connect/token",
                "audience": "https://api.brightspace.com/auth/token",
            }
            own = {
                "issuer": site,
                "auth_url": f"{site}/d2l/lti/authenticate",
                "key_set_url": f"{site}/d2l/.well-known/jwks",
            }
            return values | theirs | (own if site else {})
    return values


def product_of(family: str) -> Product:
    return FAMILIES.get(family.strip().lower(), Product.OTHER)


def _name(product: str, site: str) -> str:
    """Return a name that tells several LMSs apart, if the address is known."""
    label = Product(product).label if product in Product.values and product != Product.OTHER else ""
    host = urlsplit(site).hostname or ""
    return f"{label} at {host}" if label and host else label or host
