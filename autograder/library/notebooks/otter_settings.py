"""Reads the settings in the cells of Otter: the YAML that its documentation uses, which is keys with values, lists and keys."""

import re

Settings = dict[str, list[str]]
_KEY = re.compile(r"\s*([\w-]+)\s*:(?:\s|$)")
_ITEM = re.compile(r"\s*-\s")


def settings_of(text: str) -> Settings:
    """The lists of values by key. Keys inside of others count like these."""
    settings: Settings = {}
    last = ""
    for line in text.split("\n"):
        line = line.partition(" #")[0].rstrip()
        if line.lstrip().startswith("#"):
            continue
        if found := _ITEM.match(line):
            settings.setdefault(last, []).append(_plain(line[found.end() :]))
        elif found := _KEY.match(line):
            last = found[1]
            value = line[found.end() :].strip()
            items = value[1:-1].split(",") if value.startswith("[") and value.endswith("]") else [value] if value else []
            settings[last] = [_plain(item) for item in items]
    return settings


def first_of(settings: Settings, key: str) -> str:
    return next(iter(settings.get(key, [])), "")


def number_of(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < 1e6 else None


def _plain(value: str) -> str:
    value = value.strip()
    value = value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value
    return "" if value in ("null", "~") else value
