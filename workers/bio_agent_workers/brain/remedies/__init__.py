"""What must not be learned from a remedy or shown of it: destruction, lowered protections, foreign code, markup."""
