"""The ASGI application that uvicorn serves."""

import os
import warnings
from typing import cast

from asgiref.typing import ASGI3Application
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
os.environ.setdefault("GRADUS_CONNECTION_SECONDS", "0")
# static files are small and read at once: that they are not streamed piece by piece is no news
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators", category=Warning)
site = cast("ASGI3Application", get_asgi_application())

from autograder.web.proxies import Forwarded  # noqa: E402
from autograder.web.request_size import Bounded  # noqa: E402 - they import models, which need the settings

application = Forwarded(Bounded(site))
