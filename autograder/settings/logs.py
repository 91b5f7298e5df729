"""Settings for monitoring: the log, and access to the metrics."""

import logging
import os
from typing import Any

from autograder.observability.logs import Style, configuration
from autograder.settings.secret_files import secret

LOG: Style = "json" if os.environ.get("GRADUS_LOG", "text").lower() == "json" else "text"
LOG_LEVEL = os.environ.get("GRADUS_LOG_LEVEL", "info" if LOG == "json" else "warning").upper()
LOGGING: dict[str, Any] = configuration(LOG, LOG_LEVEL)
logging.captureWarnings(LOG == "json")
PROBES = [r"^healthz$", r"^readyz$", r"^metrics$"]  # requested from inside the network, without TLS

METRICS_TOKEN = secret("GRADUS_METRICS_TOKEN")  # the token of Prometheus; if empty, only site staff may read the metrics
