"""What the scripts of this folder say of measurements."""


def interval(values):
    """Of the median, about 95 %: between the order statistics that a fair coin exceeds rarely."""
    ranked = sorted(values)
    drop = {5: 0, 6: 0, 7: 0, 8: 0, 9: 1, 10: 1, 11: 1, 12: 2}.get(len(ranked), max(0, int(len(ranked) / 2 - len(ranked) ** 0.5)))
    return ranked[drop], ranked[-1 - drop]
