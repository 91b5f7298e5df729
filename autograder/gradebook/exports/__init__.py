"""The registry of export formats for LMSs, school information systems and spreadsheets, with one module per format."""

from autograder.gradebook.exports import blackboard, brightspace, canvas, moodle, oneroster, plain, xlsx
from autograder.gradebook.exports.base import Export, Identity, Options, Unmatched
from autograder.gradebook.exports.export_service import export, file_name

EXPORTS: dict[str, Export] = {
    module.EXPORT.name: module.EXPORT for module in (canvas, moodle, blackboard, brightspace, oneroster, plain, xlsx)
}

__all__ = ["EXPORTS", "Export", "Identity", "Options", "Unmatched", "export", "file_name"]
