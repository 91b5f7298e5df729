"""Drafts: what their services store, what they refuse, and that nobody's text is lost."""

import pytest

from autograder.authoring import drafts
from autograder.authoring.models import Draft, DraftProof
from autograder.courses.errors import AtField, Conflict, Refused
from autograder.courses.models import AuditEntry
from autograder.library.models import ExerciseVersion
from autograder.prove import scaffold
from tests.authoring.conftest import Team

pytestmark = pytest.mark.django_db


def text_of(draft: Draft, path: str) -> str:
    return draft.files.get(path=path).text


def test_a_new_draft_has_the_files_of_its_template(draft: Draft) -> None:
    assert drafts.texts_of(draft) == scaffold.files_of("vjp", 'Softplus, "stable"', "Own")
    assert 'title = "Softplus, \\"stable\\""' in text_of(draft, "exercise.toml")
    proof = DraftProof.objects.get(draft=draft)
    assert (proof.wanted, proof.edition) == (1, 0)
    assert AuditEntry.objects.filter(action="draft-created", subject="softplus").count() == 1


def test_what_is_saved_is_a_new_edition_and_wants_a_proof(draft: Draft, team: Team) -> None:
    file = drafts.save(draft, "statement.md", "New words.", 1, by=team.owner)
    assert (file.edition, file.text, file.changed_by) == (2, "New words.", team.owner.user)
    assert DraftProof.objects.get(draft=draft).wanted == 2
    again = drafts.save(draft, "statement.md", "New words.", 1, by=team.owner)
    assert again.edition == 2, "the same text is no change"


def test_two_authors_lose_nothing(draft: Draft, team: Team) -> None:
    drafts.save(draft, "checks.py", "theirs", 1, by=team.owner)
    drafts.save(draft, "statement.md", "another file", 1, by=team.instructor)
    with pytest.raises(Conflict, match=r"has changed checks\.py since you opened it") as refused:
        drafts.save(draft, "checks.py", "mine", 1, by=team.instructor)
    assert refused.value.stands.text == text_of(draft, "checks.py") == "theirs"
    drafts.save(draft, "checks.py", "mine", refused.value.stands.edition, by=team.instructor)
    assert text_of(draft, "checks.py") == "mine"


def test_a_file_that_is_gone_is_told(draft: Draft, team: Team) -> None:
    owner = team.owner
    wrong = next(path for path in drafts.texts_of(draft) if path.startswith("wrong/"))
    drafts.remove_file(draft, wrong, 1, by=owner)
    with pytest.raises(Conflict, match="removed or renamed meanwhile"):
        drafts.save(draft, wrong, "x", 1, by=owner)


def test_files_are_added_renamed_and_removed(draft: Draft, team: Team) -> None:
    owner = team.owner
    drafts.add(draft, "wrong/missing-factor.py", "x = 1", by=owner)
    drafts.rename(draft, "wrong/missing-factor.py", "wrong/other.py", by=owner)
    assert text_of(draft, "wrong/other.py") == "x = 1"
    with pytest.raises(Refused, match=r"Every exercise has a file checks\.py"):
        drafts.rename(draft, "checks.py", "wrong/checks.py", by=owner)


@pytest.mark.parametrize(
    "path",
    [
        *("../secret.py", "/etc/passwd", "wrong/../../x.py", "wrong//x.py", "wrong/.x.py", ".git/config.toml", "x.sh"),
        *(
            "tests/conftest.py",
            "wrong/x.pyc",
            "WRONG/x.py",
            "right/__pycache__/x.py",
            "wrong/" + "x" * 200 + ".py",
            "",
            "wrong/ü.py",
        ),
        *("Checks.py", "checks.py", "checks.py/x.py"),
    ],
)
def test_other_paths_are_refused(draft: Draft, team: Team, path: str) -> None:
    with pytest.raises(AtField):
        drafts.add(draft, path, by=team.owner)
    assert Draft.objects.get(pk=draft.pk).edition == 1


def test_files_have_limits(draft: Draft, team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = team.owner
    with pytest.raises(Refused, match="too long"):
        drafts.save(draft, "checks.py", "x" * 200_001, 1, by=owner)
    monkeypatch.setattr("autograder.authoring.paths.MAX_ALL", 1000)
    with pytest.raises(Refused, match="together"):
        drafts.save(draft, "checks.py", "x" * 999, 1, by=owner)
    monkeypatch.setattr("autograder.authoring.paths.MAX_FILES", 3)
    with pytest.raises(Refused, match="can have 3 files"):
        drafts.add(draft, "wrong/x.py", by=owner)


def test_a_copy_has_the_files_of_the_version(team: Team) -> None:
    version = ExerciseVersion.objects.filter(exercise__slug="value-engine").latest()
    copied = drafts.copy(team.course, version, "my-engine", "My engine", by=team.owner)
    assert copied.based_on == version and "checks.py" in drafts.texts_of(copied)


@pytest.mark.parametrize("slug", ["value-engine", "Softplus", "", "class", "x" * 61])
def test_names_that_cannot_be_used(team: Team, slug: str) -> None:
    with pytest.raises(AtField) as refused:
        drafts.start(team.course, "vjp", slug, "Title", "Own", by=team.owner)
    assert refused.value.field == "slug"


def test_a_removed_draft_takes_no_changes_and_comes_back(draft: Draft, team: Team) -> None:
    owner = team.owner
    drafts.remove(draft, by=owner)
    with pytest.raises(Refused, match="was removed"):
        drafts.save(draft, "checks.py", "x", 1, by=owner)
    with pytest.raises(AtField, match="restore it"):
        drafts.start(team.course, "vjp", "softplus", "Again", "Own", by=owner)
    drafts.restore(draft, by=owner)
    assert drafts.save(draft, "checks.py", "x", 1, by=owner).edition == 2


def test_assistants_write_no_exercises(draft: Draft, team: Team) -> None:
    with pytest.raises(Refused):
        drafts.save(draft, "checks.py", "x", 1, by=team.assistant)


def test_visitors_see_one_another(draft: Draft, team: Team) -> None:
    assert drafts.visit(draft, "checks.py", by=team.owner) == []
    (seen,) = drafts.visit(draft, "statement.md", by=team.instructor)
    assert (seen.user, seen.path) == (team.owner.user, "checks.py")
