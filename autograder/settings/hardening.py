"""Settings for a publicly reachable site, enabled by GRADUS_PRODUCTION=1. `checks` refuses to start with unsafe ones.

Without the switch, everything works over plain HTTP on a local machine.
"""

import os
from datetime import timedelta
from ipaddress import ip_network

from autograder.settings.secret_files import Misconfigured

__all__ = [  # the exported settings
    "AUTH_PASSWORD_VALIDATORS",
    "BEHIND_PROXY",
    "CSRF_COOKIE_NAME",
    "CSRF_COOKIE_SAMESITE",
    "CSRF_COOKIE_SECURE",
    "CSRF_TRUSTED_ORIGINS",
    "DATA_UPLOAD_MAX_MEMORY_SIZE",
    "DATA_UPLOAD_MAX_NUMBER_FIELDS",
    "DATA_UPLOAD_MAX_NUMBER_FILES",
    "FILE_UPLOAD_MAX_MEMORY_SIZE",
    "LTI_PRIVATE_HOSTS",
    "PRODUCTION",
    "SECURE_HSTS_INCLUDE_SUBDOMAINS",
    "SECURE_HSTS_SECONDS",
    "SECURE_SSL_REDIRECT",
    "SELF_REGISTRATION",
    "SESSION_COOKIE_AGE",
    "SESSION_COOKIE_NAME",
    "SESSION_COOKIE_SAMESITE",
    "SESSION_COOKIE_SECURE",
    "SESSION_ENGINE",
    "SESSION_LONGEST",
    "SILENCED_SYSTEM_CHECKS",
    "SITE_URL",
]
ON, OFF = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


def switch(name: str) -> bool:
    """Return whether a switch is on. Other words are refused, because a misspelt "on" would silently mean "off"."""
    word = os.environ.get(name, "").strip().lower()
    if word not in (*ON, *OFF):
        raise Misconfigured(f"{name} is '{word}'. It must be 1 or 0.")
    return word in ON


def number(name: str, default: float) -> float:
    given = os.environ.get(name, "").strip()
    try:
        value = float(given) if given else default
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise Misconfigured(f"{name} is '{given}'. It must be a number, 0 or greater.")
    return value


def networks(name: str) -> list[str]:
    """Parse addresses and networks, separated by commas.

    An IPv4 network is also listed as IPv4-mapped IPv6 network, because a dual-stack socket names its IPv4 peers that way.
    """
    found: list[str] = []
    for word in filter(None, (part.strip() for part in os.environ.get(name, "").split(","))):
        try:
            network = ip_network(word, strict=False)
        except ValueError:
            raise Misconfigured(
                f"{name} contains '{word}', which is not an address. "
                "Use the address of the proxy, such as 127.0.0.1 or 172.16.0.0/12."
            ) from None
        found.append(str(network))
        if network.version == 4:
            found.append(f"::ffff:{network.network_address}/{96 + network.prefixlen}")
    return found


PRODUCTION = switch("GRADUS_PRODUCTION")
HOSTS = [host.strip() for host in os.environ.get("GRADUS_HOSTS", "").split(",") if host.strip()]
# Where people reach the site, for links in emails: a request's Host header can name any port. Otherwise the first host.
_HOST = HOSTS[0] if PRODUCTION and HOSTS and not HOSTS[0].startswith(".") else ""
SITE_URL = os.environ.get("GRADUS_URL", "").strip().rstrip("/") or (f"https://{_HOST}" if _HOST else "")
if SITE_URL and not SITE_URL.startswith(("https://", "http://")):
    raise Misconfigured(f"GRADUS_URL is '{SITE_URL}'. Write it with its scheme, such as https://gradus.example.org.")

# -- access to the site -----------------------------------------------------------------------------------------------

# The proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted, by uvicorn's middleware in `autograder.asgi`.
BEHIND_PROXY = networks("GRADUS_BEHIND_PROXY")
SECURE_SSL_REDIRECT = PRODUCTION
SECURE_HSTS_SECONDS = int(number("GRADUS_HSTS_SECONDS", timedelta(days=365).total_seconds())) if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = switch("GRADUS_HSTS_SUBDOMAINS")
CSRF_TRUSTED_ORIGINS = [f"https://{'*' if host.startswith('.') else ''}{host}" for host in HOSTS] if PRODUCTION else []
# Whether HSTS includes subdomains and preloading is the decision of the domain's owner, not of one site in it.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]

# Platforms (LMSs) that may have a private address or no TLS. All other addresses of platforms must be public and use HTTPS.
LTI_PRIVATE_HOSTS = frozenset(
    host.strip().lower() for host in os.environ.get("GRADUS_LTI_PRIVATE_HOSTS", "").split(",") if host.strip()
)

# -- cookies and sessions ---------------------------------------------------------------------------------------------

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PRODUCTION
# only this host can set a cookie with this prefix, over TLS: other sites of the same domain cannot inject one
_HOST_ONLY = "__Host-" if PRODUCTION else ""
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = f"{_HOST_ONLY}sessionid", f"{_HOST_ONLY}csrftoken"
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_ENGINE = "autograder.web.backends.sessions"
SESSION_COOKIE_AGE = int(number("GRADUS_SESSION_IDLE_HOURS", 72) * 3600)  # without activity
SESSION_LONGEST: timedelta = timedelta(hours=number("GRADUS_SESSION_HOURS", 14 * 24))  # regardless of activity

# -- passwords --------------------------------------------------------------------------------------------------------

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

SELF_REGISTRATION = not switch("GRADUS_NO_SELF_REGISTRATION")  # accounts that people create with an open invitation

# -- uploads ----------------------------------------------------------------------------------------------------------

DATA_UPLOAD_MAX_MEMORY_SIZE = 1 << 20  # a form: four times the largest file that is graded
FILE_UPLOAD_MAX_MEMORY_SIZE = 1 << 20
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5_000  # a bulk extension has one checkbox for each student of a course
DATA_UPLOAD_MAX_NUMBER_FILES = 60  # of an exercise of several files; other forms have one at most
