"""A session's record (`trace.py`, `steps.py`), and what is read off it: costs, derivations, lost mass, issue texts."""
