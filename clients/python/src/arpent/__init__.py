"""Client of the Arpent API: French territories, addresses and cadastral parcels."""

from . import types
from .client import Arpent
from .errors import ArpentError

__all__ = ["Arpent", "ArpentError", "types"]
