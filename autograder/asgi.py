"""The ASGI application that uvicorn serves."""

import os
import warnings

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
os.environ.setdefault("GRADUS_CONNECTION_SECONDS", "0")
# static files are small and read at once: that they are not streamed piece by piece is no news
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators", category=Warning)
application = get_asgi_application()
