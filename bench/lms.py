"""`python -m bench.lms`: how long a launch takes, and the sender for 1,000 scores if the platform answers in 50 ms.

The ratio of the sender compares it with one score after the other, each waiting for its answer.
"""

import http.client
import json
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

from tests.lti.platform import MOODLE, Platform
from tests.lti.sender_site import STATES, final_scores, platform_of, running, sender_site
from tests.site import running_site

SCORES, ANSWER_SECONDS, LIMIT = 1_000, 0.05, 60.0
POLL_SECONDS = 0.2
LAUNCHES, LAUNCH_LIMIT = 40, 0.3
CONNECT = """
import django
django.setup()
from autograder.courses.models import Course
from autograder.lti.models import Context, Deployment
course = Course.objects.create(slug="launched", title="Launched")
Context.objects.create(deployment=Deployment.objects.get(), context_id={context!r}, course=course)
"""


def main() -> int:
    return max(launches(), scores())


def launches() -> int:
    """Launch as one student after the other, all for the first time, and print the time of both requests together."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_site(
            Path(folder), GRADUS_LTI_PRIVATE_HOSTS="127.0.0.1", DJANGO_SETTINGS_MODULE="autograder.settings"
        ) as site,
        Platform(MOODLE) as platform,
    ):
        tool = platform.register_tool(
            login_url=f"{site.url}/lti/login/",
            redirect_uris=[f"{site.url}/lti/launch/"],
            key_set_url=f"{site.url}/lti/jwks/",
        )
        values = {
            "name": "School", "product": "moodle", "issuer": tool.issuer, "client_id": tool.client_id,
            "auth_url": tool.auth_url, "token_url": tool.token_url, "key_set_url": tool.key_set_url,
            "deployment_id": tool.deployment_id,
        }  # fmt: skip
        site.python("-m", "tests.e2e.lti_registration", json.dumps(values))
        course = platform.add_context("Autodiff")
        site.python("-c", CONNECT.format(context=course.id))
        link = platform.add_link(course, "Start")
        took = []
        for number in range(LAUNCHES + 1):
            student = platform.add_user("Student", f"Number{number}")
            platform.enrol(course, student, "Learner")
            form, session = platform.login_form(link, student)
            began = time.perf_counter()
            begun = _post(site.port, "/lti/login/", form.fields)
            seconds = time.perf_counter() - began
            answer = platform.authorize(begun.headers["Location"], session)
            cookie = begun.headers["Set-Cookie"].partition(";")[0]
            began = time.perf_counter()
            arrived = _post(site.port, "/lti/launch/", answer.fields, cookie)
            assert arrived.headers["Location"] == "/c/launched/", arrived.headers.items()
            took.append(seconds + time.perf_counter() - began)
    seconds = median(took[1:])  # the first one fetches the key set
    print(f"{LAUNCHES} launches of new students: median {1000 * seconds:.0f} ms, longest {1000 * max(took[1:]):.0f} ms")
    print(f"ratio to the limit of {1000 * LAUNCH_LIMIT:.0f} ms: {seconds / LAUNCH_LIMIT:.2f}")
    return 0 if seconds < LAUNCH_LIMIT else 1


def _post(port: int, path: str, fields: Mapping[str, str], cookie: str = "") -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": "application/x-www-form-urlencoded"} | ({"Cookie": cookie} if cookie else {})
    connection.request("POST", path, urlencode(fields), headers)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response


def scores() -> int:
    with (
        tempfile.TemporaryDirectory() as folder,
        sender_site(Path(folder)) as (site, key_set_url),
        platform_of(key_set_url) as platform,
    ):
        column = site.connect(platform, "autodiff", SCORES)
        site.grade("autodiff", 5)
        platform.delay = ANSWER_SECONDS
        began = time.monotonic()
        with running(site):
            while len(final_scores(column)) < SCORES and time.monotonic() - began < 10 * LIMIT:
                time.sleep(POLL_SECONDS)
            seconds = time.monotonic() - began
        states = json.loads(site.python(STATES.format(slug="autodiff")))
    one_by_one = SCORES * ANSWER_SECONDS
    print(f"{SCORES} scores in {seconds:.1f} s with the start of the sender, {SCORES / seconds:.0f} a second: {states}")
    print(
        f"ratio to waiting for one answer after the other: {seconds / one_by_one:.2f}; to the limit: {seconds / LIMIT:.2f}"
    )
    return 0 if states == {"sent": SCORES} and seconds < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
