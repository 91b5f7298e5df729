"""`python -m tests.e2e.lti_registration JSON`: registers a platform of a test with a running site, as an administrator does."""

import json
import sys


def main() -> None:
    import django

    django.setup()
    from autograder.lti.models import Deployment, Registration

    values = json.loads(sys.argv[1])
    deployment_id = values.pop("deployment_id")
    registration = Registration.objects.create(**values)
    Deployment.objects.create(registration=registration, deployment_id=deployment_id, state=Deployment.State.APPROVED)


if __name__ == "__main__":
    import os

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
    main()
