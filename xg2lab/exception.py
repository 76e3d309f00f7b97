"""The exceptions of XGrammar's API under the name of its module; ours are all in `xg2lab.errors`.

>>> issubclass(InvalidStructuralTagError, RuntimeError)
True
"""

from xg2lab.errors import (
    DeserializeFormatError,
    DeserializeVersionError,
    InvalidJSONError,
    InvalidStructuralTagError,
    Xg2LabError,
)

__all__ = [
    "DeserializeFormatError",
    "DeserializeVersionError",
    "InvalidJSONError",
    "InvalidStructuralTagError",
    "Xg2LabError",
]
