"""Real agent hosts driven by a scripted model on loopback: what reaches the model, what is captured, what is stopped."""
