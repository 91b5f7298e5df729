"""Pages are sent without the whitespace that lays out their templates, and nothing else is lost."""

import re
from pathlib import Path

import pytest

from autograder.web.backends.template_loader import compact
from tests.conftest import EXERCISES

TEMPLATES = sorted((EXERCISES.parent / "autograder").glob("**/templates/**/*.html"))


@pytest.mark.parametrize(
    ("source", "sent"),
    [
        ("<div>\n    <p>One\n    two</p>\n</div>\n", "<div><p>One two</p></div>"),
        ('<a\n    class="x"\n    href="{% url \'y\' %}"\n>z</a>', '<a class="x" href="{% url \'y\' %}">z</a>'),
        ('<details class="x" {% if a %}open{% endif %}>', '<details class="x"{% if a %} open{% endif %}>'),
        ("<p>\n    one\n    {% if a %}, two{% endif %}.\n</p>", "<p>one{% if a %}, two{% endif %}.</p>"),
        ("<b>one</b>\n<i>two</i>", "<b>one</b> <i>two</i>"),
        ("<p>\n  {% if a %}b{% endif %}\n  {% if c %}d{% endif %}\n</p>", "<p>{% if a %}b{% endif %} {% if c %}d{% endif %}</p>"),
        ("<ul>\n  {% for x in y %}\n    <li>x</li>\n  {% endfor %}\n</ul>", "<ul>{% for x in y %}<li>x</li>{% endfor %}</ul>"),
        ("<pre>\n  a\n    b\n</pre>\n<p>c</p>", "<pre>\n  a\n    b\n</pre><p>c</p>"),
        ('<textarea\n    name="x"\n>\n{{ y }}</textarea>\nz', '<textarea name="x">\n{{ y }}</textarea> z'),
        ('<p title="a > b">\n    c\n</p>', '<p title="a > b">c</p>'),
        ("{% load gradus %}\n<p>a</p>\n", "{% load gradus %}<p>a</p>"),
    ],
)  # fmt: skip
def test_whitespace_that_a_browser_ignores_is_not_sent(source: str, sent: str) -> None:
    assert compact(source) == sent


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_only_whitespace_is_lost(path: Path) -> None:
    source = path.read_text()
    assert re.sub(r"\s", "", compact(source)) == re.sub(r"\s", "", source)
