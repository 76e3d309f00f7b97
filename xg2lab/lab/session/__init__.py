"""The session: a model stepped token by token under a grammar. Begin with `session.py`, then `recorder.py`."""
