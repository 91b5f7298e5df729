"""How the site is watched: its log, and who may read its metrics."""

import logging
import os
from pathlib import Path
from typing import Any

from autograder.telling.logs import Style, configuration

LOG: Style = "json" if os.environ.get("GRADUS_LOG", "text").lower() == "json" else "text"
LOG_LEVEL = os.environ.get("GRADUS_LOG_LEVEL", "info" if LOG == "json" else "warning").upper()
LOGGING: dict[str, Any] = configuration(LOG, LOG_LEVEL)
logging.captureWarnings(LOG == "json")
PROBES = [r"^healthz$", r"^readyz$", r"^metrics$"]  # asked from inside, where there is no TLS


def metrics_token() -> str:
    """What a Prometheus shows to read the metrics: itself, or in a file. Empty: nobody but the staff of the site."""
    path = os.environ.get("GRADUS_METRICS_TOKEN_FILE")
    return Path(path).read_text().strip() if path else os.environ.get("GRADUS_METRICS_TOKEN", "")


METRICS_TOKEN = metrics_token()
