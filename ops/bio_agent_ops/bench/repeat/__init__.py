"""`bio-agent bench repeat`: whether agents repeat failures less with the memory than without, on the hosts' own programs."""
