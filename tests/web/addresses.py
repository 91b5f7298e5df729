"""All URLs of the site, collected from its URL configuration and filled with ids of the test data."""

from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver, reverse


def names() -> list[str]:
    """Return the names of all URL patterns, without Django's admin, which has its own tests."""
    return sorted(_names(get_resolver("autograder.urls").url_patterns))


def _names(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            assert pattern.name, f"{pattern} has no name"
            yield pattern.name
        elif pattern.namespace != "admin":
            yield from _names(pattern.url_patterns)


def address(name: str, **given: object) -> str:
    """Reverse a URL with those of the arguments that it takes."""
    (pattern, *_), *_ = get_resolver("autograder.urls").reverse_dict.getlist(name)[0]
    _, wanted = pattern
    return reverse(name, kwargs={argument: given[argument] for argument in wanted})
