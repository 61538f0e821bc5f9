"""What is said about samples: the median, how far they spread, and ratios of medians with the interval that a bootstrap gives them."""

import random
import statistics

RESAMPLES = 2000


def median(samples):
    return statistics.median(samples)


def spread(samples):
    """How far the samples lie from each other: the middle half of them (all, when they are few), as a part of the median."""
    ranked = sorted(samples)
    cut = len(ranked) // 4 if len(ranked) >= 8 else 0
    middle = statistics.median(ranked)
    return (ranked[len(ranked) - 1 - cut] - ranked[cut]) / middle if middle > 0 else 0.0


def percentile(samples, part):
    ranked = sorted(samples)
    return ranked[min(len(ranked) - 1, int(part * len(ranked)))]


def ratio_of_medians(ours, theirs, seed=1):
    """(ratio, low, high): median(ours) / median(theirs), and its 95 % interval by resampling both (percentile bootstrap)."""
    generator = random.Random(seed)
    ratios = []
    for _ in range(RESAMPLES):
        one = statistics.median(generator.choices(ours, k=len(ours)))
        other = statistics.median(generator.choices(theirs, k=len(theirs)))
        ratios.append(one / max(other, 1e-12))
    return median(ours) / max(median(theirs), 1e-12), percentile(ratios, 0.025), percentile(ratios, 0.975)
