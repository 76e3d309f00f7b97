"""Models that a session can step: the protocol `Runner`, the runner of Hugging Face models, sampling from logits."""
