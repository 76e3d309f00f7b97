"""What compiling leaves behind: passes, operators, the pool of mask entries, and compiled grammars as JSON text."""
