"""The language of a grammar, as texts: expressions as values, random members, continuations, examples that are checked."""
