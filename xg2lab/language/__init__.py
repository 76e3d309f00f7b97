"""The language of a grammar, as texts: expressions as values, members at random, continuations, examples that are checked."""
