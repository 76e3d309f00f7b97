"""What an editor knows of a text: completion, definitions, references, renaming, symbols, folding, hovers, layout."""
