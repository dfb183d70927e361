"""Model arguments (``-M name=value``) checked against a schema, with one line for all that is wrong."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from bridgebench.errors import BridgebenchError

Schema = TypeVar("Schema", bound=BaseModel)


def read_arguments(schema: type[Schema], model: str, values: Mapping[str, Any]) -> Schema:
    """Validate a provider's arguments.

    Args:
        schema: Names, types and ranges.
        model: Name of the model, for the message.
        values: As given.

    Raises:
        BridgebenchError: Naming every argument that is unknown or wrong.
    """
    try:
        return schema(**values)
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()]
        known = ", ".join(schema.model_fields)
        raise BridgebenchError(f"{model}: model argument {'; '.join(problems)} (known: {known})") from error
