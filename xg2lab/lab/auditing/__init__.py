"""Is it right? Masks against accept, a vocabulary against its tokenizer, the token ids of a request that failed."""
