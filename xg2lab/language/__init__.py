"""The texts of a grammar: expressions as values, random members, continuations, examples that are checked."""
