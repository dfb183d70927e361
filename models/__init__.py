"""The language models themselves: the embedded model, the `local` provider, and training."""
