"""Models that a session can step: the protocol `Runner`, the runner for Hugging Face models, and sampling from logits."""
