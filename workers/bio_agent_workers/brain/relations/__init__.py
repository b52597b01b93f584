"""How two rules relate: canonical form, slots, vocabulary, features and scores."""
