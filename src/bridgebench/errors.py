"""Errors a user can act on, and the one line that names a missing extra."""

import importlib
from types import ModuleType


class BridgebenchError(ValueError):
    """Something in the user's input is wrong; the message says what and where."""


class RecordError(BridgebenchError):
    """One bad record of a dataset or file: names the file, the record and the field."""

    def __init__(self, file: str, record: str, field: str, problem: str) -> None:
        self.file, self.record, self.field, self.problem = file, record, field, problem
        super().__init__(f"{file}: {record}: field '{field}': {problem}")


class MissingExtraError(ImportError):
    """An optional package is absent; the message is the command that installs it."""


def require(module: str, extra: str) -> ModuleType:
    """Import an optional module, or say in one line which extra brings it.

    Args:
        module: Dotted name of the module, for example ``"torch"``.
        extra: Name of the extra of bridgebench that installs it.

    Raises:
        MissingExtraError: When the module itself is absent. An error *inside* an installed module is
            passed on as it is, so that its true cause stays visible.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and module.split(".")[0] == error.name.split(".")[0]:
            raise MissingExtraError(f"'{module}' is not installed; run: pip install 'bridgebench[{extra}]'") from error
        raise
