"""The session: a model stepped token by token under a grammar. Begin with `session.py`; `recorder.py` makes one decision."""
