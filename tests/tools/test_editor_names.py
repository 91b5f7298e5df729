"""The names that the editor completes are those of the libraries that the sandbox has."""

from tools.editor_names import TARGET, names, text


def test_what_is_committed_is_what_the_libraries_have() -> None:
    assert TARGET.read_text() == text(), "Type: python -m tools.editor_names, then build the front end"


def test_each_profile_has_its_modules_and_no_more() -> None:
    found = names()
    profiles, modules = found["profiles"], found["modules"]
    assert isinstance(profiles, dict)
    assert isinstance(modules, dict)
    assert profiles["python"] == []
    assert not [name for name in profiles["numpy"] if name.startswith("torch")]
    assert set(profiles["torch"]) == set(modules)
    assert {"no_grad", "matmul", "float64", "autograd"} <= set(modules["torch"].split())
    assert "gradcheck" in modules["torch.autograd"].split()
    assert not [name for text in modules.values() for name in text.split() if name.startswith("_")]


def test_internal_names_are_left_out_and_those_of_exercises_come_first() -> None:
    found = names()
    modules, first = found["modules"], found["first"]
    assert isinstance(modules, dict) and isinstance(first, str)
    torch = modules["torch"].split()
    assert not [name for name in torch if name.startswith(("cudnn", "batch_norm_", "miopen")) or name.endswith("_elemt")]
    assert {"int64", "int32", "bitwise_and", "index_copy", "mm", "addmm", "batch_norm"} <= set(torch)
    methods = found["methods"]
    assert isinstance(methods, dict)
    known = {name for text in [*modules.values(), *methods.values()] for name in text.split()}
    assert set(first.split()) <= known
