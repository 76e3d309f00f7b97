"""What compiling leaves behind: passes, the tree of operators, the pool of mask entries, and compiled things as JSON text."""
