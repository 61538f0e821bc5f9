"""What is said about samples: the median, how far they spread, and ratios of medians with the interval that a bootstrap gives them."""

import functools
import random
import statistics

RESAMPLES = 2000
LEAST_REPETITIONS = 5  # fewer give intervals that are too narrow to conclude anything from


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


@functools.cache
def resampled_medians(samples, seed):
    """What the median might as well have been (percentile bootstrap), the same in every run."""
    generator = random.Random(seed)
    return [statistics.median(generator.choices(samples, k=len(samples))) for _ in range(RESAMPLES)]


def ratio_of_medians(ours, theirs):
    """(ratio, low, high): median(ours) / median(theirs), and its 95 % interval by resampling both, each from numbers of its own."""
    pairs = zip(resampled_medians(tuple(ours), 1), resampled_medians(tuple(theirs), 2))
    ratios = [one / max(other, 1e-12) for one, other in pairs]
    return median(ours) / max(median(theirs), 1e-12), percentile(ratios, 0.025), percentile(ratios, 0.975)


def median_with_interval(samples):
    """(median, low, high): with its 95 % interval by the same bootstrap."""
    medians = resampled_medians(tuple(samples), 1)
    return median(samples), percentile(medians, 0.025), percentile(medians, 0.975)
