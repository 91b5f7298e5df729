"""Settings, all from the environment. The defaults need no server and are safe on one machine."""

import os
import secrets
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent.parent

DEBUG = os.environ.get("DEBUG", "").lower() in ("1", "true", "yes", "on")
SECRET_KEY = os.environ.get("GRADUS_SECRET_KEY") or secrets.token_urlsafe(50)
USE_TZ = True
TIME_ZONE = "UTC"

INSTALLED_APPS = ["autograder.library"]

EXERCISES = Path(os.environ.get("GRADUS_EXERCISES", BASE_DIR / "exercises"))
CACHE = Path(os.environ.get("GRADUS_CACHE", BASE_DIR / ".cache"))
SANDBOX = os.environ.get("GRADUS_SANDBOX", "bubblewrap")
