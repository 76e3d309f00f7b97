"""How grammars, findings and errors look as HTML, DOT, railroads and plain text. Nothing here decides anything."""
