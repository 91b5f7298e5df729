"""Stands in for the modules that a file of the course imports besides numpy: its tests and plots, progress bars, torch.

Nothing of them is needed for grading. A placeholder can be called, iterated and indexed, and does nothing.
"""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

NAMES = {
    "IPython", "einops", "jaxtyping", "matplotlib", "pandas", "part4_backprop", "plotly", "plotly_utils", "rich", "torch",
    "torchvision", "tqdm",
}  # fmt: skip


class Placeholder:
    def __call__(self, *args, **kwargs):
        return self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, index):
        return self

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 1

    def __or__(self, other):
        return self

    __ror__ = __or__

    def __format__(self, spec):
        return ""

    def __repr__(self):
        return "placeholder"


class PlaceholderModule(ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return get_mnist if name == "get_mnist" else Placeholder()


def get_mnist(*args, **kwargs):
    return Placeholder(), Placeholder()


class PlaceholderImporter:
    """Finds these modules, and everything below them, before any other importer does."""

    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self, is_package=True) if name.split(".")[0] in NAMES else None

    def create_module(self, spec):
        return PlaceholderModule(spec.name)

    def exec_module(self, module):
        pass

    def __enter__(self):
        sys.meta_path.insert(0, self)

    def __exit__(self, *error):
        sys.meta_path.remove(self)
        for name in [name for name, module in sys.modules.items() if isinstance(module, PlaceholderModule)]:
            del sys.modules[name]
