"""The ASGI application that uvicorn serves."""

import os
import warnings
from typing import cast

from asgiref.typing import ASGI3Application
from django.conf import settings
from django.core.asgi import get_asgi_application
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
os.environ.setdefault("GRADUS_CONNECTION_SECONDS", "0")
# static files are small, so it does not matter that they are read at once instead of streamed
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators", category=Warning)
site = cast("ASGI3Application", get_asgi_application())

from autograder.web.middleware.request_size import RequestSizeLimit  # noqa: E402 - imports models, which need the settings

application = ProxyHeadersMiddleware(RequestSizeLimit(site), trusted_hosts=settings.BEHIND_PROXY)  # type: ignore[arg-type]
