from pathlib import Path

import pytest
from pytest_django import Settings

import autograder.web

TEMPLATES = Path(autograder.web.__file__).parent / "templates"


@pytest.fixture(autouse=True)
def templates(settings: Settings) -> None:
    """The player's templates, whatever else the site has."""
    settings.TEMPLATES = [
        {"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": [TEMPLATES], "APP_DIRS": True}
    ]
