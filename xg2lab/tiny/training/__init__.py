"""How the tiny model was made: `corpus` writes the text, `tokenizer` and `train` learn it, `evaluate` counts.

Nothing in `xg2lab` imports this package; `train` and `evaluate` need torch and transformers.
"""
