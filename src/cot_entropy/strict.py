"""The base of every model at a boundary: frozen, strict, and no key that is not declared."""

from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    """A frozen pydantic model that refuses unknown keys and converts no types."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)
