"""The record of a session (`trace.py`, `steps.py`), and what can be read off it: costs, derivations, lost mass, issue texts."""
