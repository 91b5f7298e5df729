"""Static files under names with a content hash, so that browsers can cache them forever."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Falls back to plain names if no files were collected, as in tests. `manage.py up` collects them at start."""

    manifest_strict = False

    def stored_name(self, name: str) -> str:
        return super().stored_name(name) if self.hashed_files else name
