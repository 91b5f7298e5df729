from pathlib import Path

import pytest
from pytest_django import Settings

import autograder.web

TEMPLATES = Path(autograder.web.__file__).parent / "templates"


@pytest.fixture(autouse=True)
def templates(settings: Settings) -> None:
    """Use only the player's templates."""
    settings.TEMPLATES = [
        {"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": [TEMPLATES], "APP_DIRS": True}
    ]
