"""Two grammars, vocabularies or engine options on the same bytes: where they part, and the shortest such text."""
