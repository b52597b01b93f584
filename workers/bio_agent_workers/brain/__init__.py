"""The pure logic: no clock, no I/O, no SQL. `now` and weights are arguments; decisions come back as values.

directives: what a person wants for good. lessons: what acts teach. remedies: what must not be learned of them. relations: how
two rules relate. guarding: whether a rule speaks of a call. retrieval: which memory fits. Here: what all of these share.
"""
