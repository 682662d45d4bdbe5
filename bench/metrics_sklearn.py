"""The same work as bench/metrics.mjs in scikit-learn and NumPy; called by it."""

import json
import resource
import sys
import time

import numpy as np
from sklearn.metrics import roc_auc_score

n, mode = int(sys.argv[1]), sys.argv[2]

# The same generator as in metrics.mjs: x -> 1664525 x + 1013904223 mod 2^32, two numbers a pair.
state, count = np.uint64(12345), 2 * n
powers = np.empty(count, dtype=np.uint64)
a, c, mask = 1664525, 1013904223, (1 << 32) - 1
multiplier, increment, have = a, c, 1
powers[0] = (a * 12345 + c) & mask
while have < count:
    take = min(have, count - have)
    powers[have : have + take] = (powers[:take] * np.uint64(multiplier) + np.uint64(increment)) & np.uint64(mask)
    increment = (multiplier * increment + increment) & mask
    multiplier = (multiplier * multiplier) & mask
    have += take
uniform = powers.astype(np.float64) / 2**32
del powers
scores = np.floor(uniform[0::2] * 2**20) / 2**20
labels = (uniform[1::2] < scores).astype(np.uint8)
del uniform


def work():
    auc = roc_auc_score(labels, scores)
    bins = np.clip(np.ceil(scores * 15).astype(np.int64) - 1, 0, 14)
    counts = np.bincount(bins, minlength=15)
    gaps = np.abs(np.bincount(bins, weights=labels, minlength=15) - np.bincount(bins, weights=scores, minlength=15))
    ece = gaps.sum() / n
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    last = np.r_[np.nonzero(np.diff(ordered))[0], n - 1]
    precision = np.cumsum(labels[order], dtype=np.float64)[last] / (last + 1)
    return {"auc": float(auc), "ece": float(ece), "points": len(precision), "filled": int((counts > 0).sum())}


seconds, results = float("inf"), None
for _ in range(3 if mode == "work" else 0):
    started = time.perf_counter()
    results = work()
    seconds = min(seconds, time.perf_counter() - started)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"seconds": seconds if results else None, "results": results, "peakMiB": peak}))
