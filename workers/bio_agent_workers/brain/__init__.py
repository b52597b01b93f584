"""The pure logic: no clock, no I/O, no SQL. `now` and weights are arguments; decisions come back as values."""
