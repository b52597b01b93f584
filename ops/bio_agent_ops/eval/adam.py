"""Adam over a whole set: the same weights at every call."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def descend(
    start: Sequence[Matrix], slopes: Callable[[list[Matrix]], list[Matrix]], *, steps: int, rate: float
) -> list[Matrix]:
    """Weights after `steps` steps down the slopes (the gradient at the weights given, one for each of `start`)."""
    w = [x.copy() for x in start]
    first, second = [np.zeros_like(x) for x in w], [np.zeros_like(x) for x in w]
    for step in range(1, steps + 1):
        for i, slope in enumerate(slopes(w)):
            first[i] = 0.9 * first[i] + 0.1 * slope
            second[i] = 0.99 * second[i] + 0.01 * slope**2
            w[i] -= rate * (first[i] / (1 - 0.9**step)) / (np.sqrt(second[i] / (1 - 0.99**step)) + 1e-8)
    return w
