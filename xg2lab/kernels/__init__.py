"""Ways to apply a bitmask to logits where they lie; each is imported only when asked for."""
