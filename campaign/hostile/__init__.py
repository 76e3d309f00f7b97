"""The hostile corpus: inputs made to take all time and memory, and what they take."""
