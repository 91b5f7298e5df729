"""Django settings, all from environment variables.

The defaults need no server and are safe on one machine; `hardening` contains the settings for a publicly reachable site.
"""

import contextlib
import os
import secrets
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import dj_database_url

from autograder.settings import hardening
from autograder.settings.hardening import *  # noqa: F403 - exports settings only
from autograder.settings.logs import LOGGING, METRICS_TOKEN, PROBES  # noqa: F401 - settings of Django and Gradus
from autograder.settings.mail import TIMEOUT_SECONDS, mail_of
from autograder.settings.secret_files import secret

BASE_DIR = Path(__file__).resolve().parent.parent.parent

DEBUG = os.environ.get("DEBUG", "").lower() in ("1", "true", "yes", "on")
ALLOWED_HOSTS = hardening.HOSTS or ([] if hardening.PRODUCTION else ["localhost", "127.0.0.1", "[::1]"])
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
STATIC_URL = "static/"
STATICFILES_DIRS = [("guides", BASE_DIR / "docs" / "images")]  # shown in the guides that the site serves
STATIC_ROOT = Path(os.environ.get("GRADUS_STATIC", BASE_DIR / ".cache" / "static"))  # the output of `collectstatic`
ROOT_URLCONF = "autograder.urls"
ASGI_APPLICATION = "autograder.asgi.application"

EXERCISES = Path(os.environ.get("GRADUS_EXERCISES", BASE_DIR / "exercises"))
CACHE = Path(os.environ.get("GRADUS_CACHE", BASE_DIR / ".cache"))
DATA = Path(os.environ.get("GRADUS_DATA", BASE_DIR / ".data"))
SANDBOX = os.environ.get("GRADUS_SANDBOX", "bubblewrap")


def secret_key() -> str:
    """Return the secret key from the environment, or one generated once and stored privately, so that sessions survive a restart."""
    given = secret("GRADUS_SECRET_KEY")
    if given:
        return given
    path = DATA / "secret-key"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"secret-key.{os.getpid()}.part")  # other processes that start now must not read half of a key
        with open(part, "w", opener=partial(os.open, mode=0o600)) as file:
            file.write(secrets.token_urlsafe(50))
        with contextlib.suppress(FileExistsError):
            os.link(part, path)
        part.unlink()
    return path.read_text()


SECRET_KEY = secret_key()

INSTALLED_APPS = [
    "autograder.courses",  # before Django's, whose command createsuperuser it extends
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "autograder.library",
    "autograder.submissions",
    "autograder.authoring",
    "autograder.gradebook",
    "autograder.lti",
    "autograder.backup",
    "autograder.web",
]
MIDDLEWARE = [
    "autograder.web.monitoring.requests.RequestLogMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "autograder.web.middleware.security_headers.SecurityHeadersMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "autograder.web.middleware.time_zone.TimeZoneMiddleware",
    "autograder.web.middleware.exceptions.NotPreparedMiddleware",
    "autograder.web.middleware.exceptions.TooOftenMiddleware",
    "autograder.web.middleware.exceptions.BusyDatabaseMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "OPTIONS": {
            "loaders": [("django.template.loaders.cached.Loader", ["autograder.web.backends.template_loader.Loader"])],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "autograder.web.context_processors.site_context",
            ],
        },
    }
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "autograder.web.backends.static_files.HashedStaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
AUTH_USER_MODEL = "courses.User"
AUTHENTICATION_BACKENDS = ["autograder.web.accounts.authentication.NameOrEmail"]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "front"
LOGOUT_REDIRECT_URL = "front"
CSRF_FAILURE_VIEW = "autograder.web.error_pages.expired"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_REDIRECT_EXEMPT = PROBES
PUBLIC_EXERCISES = bool(os.environ.get("GRADUS_PUBLIC_EXERCISES"))  # statements for visitors who are not signed in
DEMO_PASSWORD = os.environ.get("GRADUS_DEMO_PASSWORD", "")  # shown to everyone who can open the sign-in page
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# -- the database: SQLite by default, PostgreSQL with DATABASE_URL ----------------------------------------------------

DATABASE_URL = secret("DATABASE_URL", f"sqlite:///{DATA / 'gradus.sqlite3'}")


# The lifetime of a PostgreSQL connection in seconds. The web processes set 0: there every request has its own thread, and a
# connection left behind by a thread stays open until it is garbage-collected.
CONNECTION_LIFETIME = int(os.environ.get("GRADUS_CONNECTION_SECONDS", "60"))


def database(url: str) -> dict[str, Any]:
    """Return the database settings.

    SQLite uses WAL mode, in which readers never wait for a writer. Transactions take the write lock at the start, because
    two transactions that read first and write later would fail instead of waiting. Writers wait in line. Commits are synced
    to disk, so that confirmed changes survive a power failure.
    """
    found: dict[str, Any] = dict(
        dj_database_url.parse(url, conn_max_age=0 if url.startswith("sqlite") else CONNECTION_LIFETIME)
    )
    if "sqlite" in found["ENGINE"]:
        Path(found["NAME"]).parent.mkdir(parents=True, exist_ok=True)
        found["ENGINE"] = "autograder.sqlite"
        found["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
            "init_command": "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 30000",
        }
    else:
        found["CONN_HEALTH_CHECKS"] = True
        found["PASSWORD"] = secret("GRADUS_DATABASE_PASSWORD", found["PASSWORD"])
    return found


DATABASES = {"default": database(DATABASE_URL)}

# How long a worker may be silent before its work is given to another one. A lease is renewed four times in this period.
LEASE = timedelta(seconds=float(os.environ.get("GRADUS_LEASE_SECONDS", "30")))

# -- the broker, for notifications only: folders by default, Redis with GRADUS_BROKER_URL -----------------------------

BROKER_URL = secret("GRADUS_BROKER_URL", "filesystem://")
BROKER = DATA / "broker"

CELERY_BROKER_URL = BROKER_URL
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = (
    {"folder": str(BROKER / "messages")}
    if BROKER_URL.startswith("filesystem")
    else {"visibility_timeout": 3600, "socket_keepalive": True, "socket_connect_timeout": 5, "socket_timeout": 30}
)
CELERY_WORKER_ENABLE_REMOTE_CONTROL = not BROKER_URL.startswith("filesystem")  # requires a broker with broadcast
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_DEFAULT_QUEUE = "grading"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_PROC_ALIVE_TIMEOUT = 120  # a worker process warms its sandboxes before it reports that it is alive
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False  # the lease is in the database, not in the broker
CELERY_TIMEZONE = "UTC"

# -- mail: disabled by default; a mail server with GRADUS_MAIL_URL ----------------------------------------------------

_MAIL = mail_of(secret("GRADUS_MAIL_URL"), os.environ.get("GRADUS_MAIL_FROM", ""), DATA)
MAIL_CONFIGURED = _MAIL.configured
EMAIL_BACKEND, EMAIL_FILE_PATH, EMAIL_TIMEOUT = _MAIL.backend, str(_MAIL.folder), TIMEOUT_SECONDS
EMAIL_HOST, EMAIL_PORT, EMAIL_USE_TLS, EMAIL_USE_SSL = _MAIL.host, _MAIL.port, _MAIL.starttls, _MAIL.tls
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _MAIL.user, _MAIL.password
DEFAULT_FROM_EMAIL = SERVER_EMAIL = _MAIL.sender
