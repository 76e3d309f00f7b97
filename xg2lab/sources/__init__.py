"""Source languages on the Python side: which file is read how, JSON Schema, patterns for intervals of numbers."""
