"""Whether a call is one that a rule speaks of: acts as values, rules' sentences read, the verdict."""
