"""What stands in `ops/` asks for metrics and labels that a real page of metrics has."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator

import pytest
import yaml
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from autograder.submissions import counters
from autograder.submissions.counters import Increment
from autograder.submissions.models import Worker
from autograder.web.monitoring import dependencies
from tests.conftest import EXERCISES
from tests.docs.pages import read

pytestmark = pytest.mark.django_db
OPS = EXERCISES.parent / "ops"
WORDS = {  # of PromQL
    *("sum", "min", "max", "by", "rate", "increase", "histogram_quantile", "topk", "and", "on", "label_values"),
}
BY_PROMETHEUS = {"up": {"job", "instance"}}
EVERYWHERE = {"job", "instance"}
NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"


@pytest.fixture
def exposed(db: None, settings: Settings) -> dict[str, dict[str, set[str]]]:
    """What is there of a site where everything happened: by series, its labels and their values."""
    settings.METRICS_TOKEN = "token"
    dependencies.forget()
    now = timezone.now()
    Worker.objects.create(name="box:1", version="1.0", started_at=now, seen_at=now, layers={"seccomp": True})
    for lane in range(3):
        counters.count_verdict(lane, "error", "timeout-cpu", queued_at=now, claimed_at=now)
    profiles = [Increment(counter, "torch") for counter in (counters.ZYGOTE_STARTS, counters.ZYGOTE_DEATHS)]
    counters.add([*profiles, *(Increment(counter, "error") for counter in (counters.RETRIES, counters.FAILED))])
    Client(raise_request_exception=False).get("/help/")
    text = Client().get("/metrics", headers={"Authorization": "Bearer token"}).content.decode()
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            for label, value in sample.labels.items():
                found[sample.name][label].add(value)
            found[sample.name].update({})
    return dict(found)


def alerts() -> list[dict[str, object]]:
    groups = yaml.safe_load((OPS / "prometheus/alerts.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def dashboard() -> dict[str, object]:
    found: dict[str, object] = json.loads((OPS / "grafana/gradus.json").read_text())
    return found


def expressions() -> Iterator[tuple[str, str, str]]:
    """Where, what is asked, and what is said of it."""
    for rule in alerts():
        yield str(rule["alert"]), str(rule["expr"]), json.dumps(rule["annotations"])
    panels: list[dict[str, object]] = dashboard()["panels"]  # type: ignore[assignment]
    for panel in panels:
        targets: list[dict[str, str]] = panel["targets"]  # type: ignore[assignment]
        for target in targets:
            yield str(panel["title"]), target["expr"], target["legendFormat"]


def asked(expression: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Series and what is asked of their labels."""
    bare = re.sub(r"\b(?:by|on)\s*\([^)]*\)", " ", expression)
    bare = re.sub(r"\[\w+\]", "", bare)
    for name, selector in re.findall(
        rf"({NAME})\s*(\{{[^}}]*\}})?", re.sub(r'"[^"]*"', lambda m: m[0].replace(" ", "_"), bare)
    ):
        if (
            name not in WORDS
            and not re.match(r"^\d", name)
            and (name.startswith(("gradus_", "process_")) or name in BY_PROMETHEUS)
        ):
            yield name, dict(re.findall(rf'({NAME})=~?"([^"]*)"', selector))


def joined(expression: str) -> set[str]:
    return {label.strip() for labels in re.findall(r"\bby\s*\(([^)]*)\)", expression) for label in labels.split(",")}


def test_every_series_and_label_that_is_asked_for_exists(exposed: dict[str, dict[str, set[str]]]) -> None:
    trouble = []
    for where, expression, said in expressions():
        found = list(asked(expression))
        assert found, f"{where} asks for nothing of ours"
        labels = set()
        for name, selected in found:
            known = BY_PROMETHEUS.get(name) or exposed.get(name)
            if known is None:
                trouble.append(f"{where}: no series {name}")
                continue
            labels |= set(known)
            trouble += [f"{where}: {name} has no label {label}" for label in selected if label not in known]
        wanted = joined(expression) | set(re.findall(r"\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}", said)) - {"value"}
        trouble += [f"{where}: no label {label}" for label in wanted - labels - EVERYWHERE]
    assert trouble == []


def test_every_value_that_is_selected_can_be_there(exposed: dict[str, dict[str, set[str]]]) -> None:
    """`5..` and a variable of the dashboard are patterns of what may come; the rest are words of ours."""
    seen = 0
    for where, expression, _ in expressions():
        for name, selected in asked(expression):
            for label, value in selected.items():
                if name in exposed and label != "status" and "$" not in value:
                    seen += 1
                    assert set(value.split("|")) <= exposed[name][label] | set(counters.CAUSES), (where, name, label)
    assert seen


def test_the_issues_alarms_are_there() -> None:
    names = {str(rule["alert"]) for rule in alerts()}
    wanted = {"GradusQueueOld", "GradusInternalErrors", "GradusNoWorkers", "GradusLayerMissing", "GradusDatabaseDown"}
    assert wanted <= names
    assert len(names) == len(alerts())


def test_every_alarm_says_what_it_is_and_what_to_do() -> None:
    for rule in alerts():
        said: dict[str, str] = rule["annotations"]  # type: ignore[assignment]
        assert set(said) == {"summary", "description"}
        assert said["description"].endswith(".")
        assert rule["labels"] in ({"severity": "page"}, {"severity": "ticket"})


def test_every_metric_of_ours_is_shown_or_watched(exposed: dict[str, dict[str, set[str]]]) -> None:
    """A number that nobody looks at is not worth its scrape."""
    used = {name for _, expression, _ in expressions() for name, _ in asked(expression)}
    bare = {re.sub(r"_(bucket|count|sum|total|created)$", "", name) for name in used}
    ours = {re.sub(r"_(bucket|count|sum|total|created)$", "", name) for name in exposed if name.startswith("gradus_")}
    assert ours - bare == {"gradus_info"}


def test_the_docs_name_every_metric(exposed: dict[str, dict[str, set[str]]]) -> None:
    ours = {re.sub(r"_(bucket|count|sum|created)$", "", name) for name in exposed if name.startswith("gradus_")}
    named = {
        row[0].strip("`"): row[1] for row in read("operations").section("Metrics").rows if row and row[0].startswith("`")
    }
    assert set(named) == ours
    for name, labels in named.items():
        series = exposed[name if name in exposed else f"{name}_count"]
        assert {label.strip() for label in labels.split(",") if label} == set(series), name


def test_the_panels_have_their_own_places() -> None:
    panels: list[dict[str, dict[str, int]]] = dashboard()["panels"]  # type: ignore[assignment]
    taken = [
        (x, y)
        for panel in panels
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(taken) == len(set(taken))
    assert max(x for x, _ in taken) < 24


def test_prometheus_reads_the_rules_with_a_token_of_ours() -> None:
    told = yaml.safe_load((OPS / "prometheus/prometheus.yml").read_text())
    (job,) = told["scrape_configs"]
    assert told["rule_files"] == ["alerts.yml"]
    assert job["job_name"] == "gradus"
    assert "credentials_file" in job["authorization"]
