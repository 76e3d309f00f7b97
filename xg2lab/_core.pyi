# Generated from the built engine by `make stubs`; do not edit.
"""
The engine of xg2lab. Use the names of the package `xg2lab`; this module is their ground.
"""
from __future__ import annotations
__all__: list[str] = []
