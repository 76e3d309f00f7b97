"""Readable twins of the engine's algorithms: standard library only, they teach and they judge."""
