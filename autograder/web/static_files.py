"""Static files under names that carry their hash, so that browsers keep them for good."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedFiles(CompressedManifestStaticFilesStorage):
    """Where nothing was collected, as in a test, files go by their plain names; `manage.py up` collects at its start."""

    manifest_strict = False

    def stored_name(self, name: str) -> str:
        return super().stored_name(name) if self.hashed_files else name
