"""The results of compiling: passes, operators, the pool of mask entries, and compiled grammars as JSON text."""
