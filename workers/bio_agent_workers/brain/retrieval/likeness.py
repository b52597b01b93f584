"""Levels of cosine similarity between centred vectors (unrelated texts lie around 0, whatever the embedder).

Measured with the bundled embedder on pairs of rules and facts: paraphrases 0.2–0.65, facts that differ in a value alone
0.6–0.85, translations around 0.6. A vector nominates; whether two texts say the same is decided by their words and values.
"""

NOMINATE_AT = 0.25  # from here a belief is looked at beside another
SAME_MATTER_AT = 0.42  # from here a newer fact may be about what an older one is about
TWIN_AT = 0.80  # from here two texts with the same values, names and polarity are one
FLOOR = 0.20  # a query's nearest texts below this have nothing to do with it
ONE_MATTER_AT = 0.5  # from here two turns of a conversation that give different numbers speak of the same thing
