"""How the site is watched: its log, and who may read its metrics."""

import logging
import os
from typing import Any

from autograder.observability.logs import Style, configuration
from autograder.settings.secret_files import secret

LOG: Style = "json" if os.environ.get("GRADUS_LOG", "text").lower() == "json" else "text"
LOG_LEVEL = os.environ.get("GRADUS_LOG_LEVEL", "info" if LOG == "json" else "warning").upper()
LOGGING: dict[str, Any] = configuration(LOG, LOG_LEVEL)
logging.captureWarnings(LOG == "json")
PROBES = [r"^healthz$", r"^readyz$", r"^metrics$"]  # asked from inside, where there is no TLS

METRICS_TOKEN = secret("GRADUS_METRICS_TOKEN")  # what a Prometheus shows; empty: nobody but the staff of the site
