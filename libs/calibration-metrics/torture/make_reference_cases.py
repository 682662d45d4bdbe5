"""Writes reference.json: cases of the torture set whose answers come from an independent implementation.

    python -m venv venv && venv/bin/pip install numpy==1.26.4 scipy==1.14.1 scikit-learn==1.5.2 statsmodels==0.14.4 \
        relplot==1.0.3 deprecation matplotlib pandas seaborn
    venv/bin/python make_reference_cases.py > reference.json

Nothing here calls the library that is tested. Where no package computes a quantity with the stated convention, the
definition itself is written out below in the slowest and plainest way (named "definition" in a case's source).
"""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import relplot
import scipy
import sklearn
import statsmodels
from scipy import optimize, stats
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score, roc_curve
from statsmodels.stats.multitest import multipletests

SKLEARN = f"scikit-learn {sklearn.__version__}"
SCIPY = f"scipy {scipy.__version__}"
STATSMODELS = f"statsmodels {statsmodels.__version__}"
DEFINITION = "the definition, written out in make_reference_cases.py"

cases = []


def add(metric, name, inputs, expected, source, tolerance=1e-12):
    cases.append(
        {
            "id": f"{metric}/{name}",
            "metric": metric,
            "input": inputs,
            "expected": expected,
            "tolerance": tolerance,
            "source": source,
        }
    )


def plain(values):
    return [float(v) for v in values]


def make(rng, n, kind):
    """Scores and labels of both classes."""
    labels = rng.integers(0, 2, n)
    labels[0], labels[1] = 0, 1
    scores = {
        "distinct": lambda: rng.permutation(n) / n,
        "tied": lambda: rng.integers(0, 4, n) / 4,
        "skewed": lambda: 1 - rng.random(n) ** 8,
        "float32": lambda: rng.random(n).astype(np.float32).astype(np.float64),
        "edges": lambda: rng.integers(0, 11, n) / 10,
    }[kind]()
    return plain(scores), [int(v) for v in labels]


def delong(scores, labels):
    """Variance of the AUC from the placement values, by all pairs."""
    x = [s for s, y in zip(scores, labels) if y == 1]
    z = [s for s, y in zip(scores, labels) if y == 0]
    psi = np.array([[1.0 if a > b else 0.5 if a == b else 0.0 for b in z] for a in x])
    v10, v01 = psi.mean(axis=1), psi.mean(axis=0)
    return psi.mean(), v10, v01, v10.var(ddof=1) / len(x) + v01.var(ddof=1) / len(z)


def bins_equal_width(conf, labels, count):
    edges = [Fraction(k, count) for k in range(count + 1)]
    groups = [[] for _ in range(count)]
    for c, y in zip(conf, labels):
        # (low, high] with the edges as float64 numbers; 0 in the first bin.
        k = next(k for k in range(count) if c <= float(edges[k + 1]) or k == count - 1)
        groups[k].append((c, y))
    return groups


def gaps(groups):
    return [(len(g), abs(np.mean([y for _, y in g]) - np.mean([c for c, _ in g]))) for g in groups if g]


def bins_equal_mass(conf, labels, count):
    """Every answer as `count` equal parts in order of confidence, labels averaged within ties, cut into equal chunks."""
    order = sorted(range(len(conf)), key=lambda i: conf[i])
    mean_label = {c: np.mean([y for d, y in zip(conf, labels) if d == c]) for c in set(conf)}
    parts = [(conf[i], mean_label[conf[i]]) for i in order for _ in range(count)]
    size = len(parts) // count
    return [parts[k * size : (k + 1) * size] for k in range(count)]


def aurc(scores, labels):
    """Mean over all orders of tied answers of the mean risk among the k surest."""
    groups = [[y for s, y in zip(scores, labels) if s == value] for value in sorted(set(scores), reverse=True)]
    totals = []
    for orders in itertools.product(*[list(itertools.permutations(g)) for g in groups]):
        sequence = [y for g in orders for y in g]
        totals.append(np.mean([1 - np.mean(sequence[:k]) for k in range(1, len(sequence) + 1)]))
    return float(np.mean(totals))


rng = np.random.default_rng(2604)

for kind in ["distinct", "tied", "skewed", "float32", "edges"]:
    for n in [5, 12, 40]:
        s, y = make(rng, n, kind)
        name = f"{kind}-{n}"
        add("auc", name, {"scores": s, "labels": y}, {"value": roc_auc_score(y, s)}, f"{SKLEARN} roc_auc_score")
        add(
            "averagePrecision",
            name,
            {"scores": s, "labels": y},
            {"value": average_precision_score(y, s)},
            f"{SKLEARN} average_precision_score",
        )
        add("brierScore", name, {"scores": s, "labels": y}, {"value": brier_score_loss(y, s)}, f"{SKLEARN} brier_score_loss")
        for count in [1, 7, 10]:
            g = gaps(bins_equal_width(s, y, count))
            ece = sum(m / n * d for m, d in g)
            add(
                "expectedCalibrationError",
                f"{name}-{count}-bins",
                {"scores": s, "labels": y, "binCount": count},
                {"value": float(ece)},
                DEFINITION,
            )
        g = gaps(bins_equal_width(s, y, 7))
        add("maximumCalibrationError", name, {"scores": s, "labels": y, "binCount": 7}, {"value": float(max(d for _, d in g))}, DEFINITION)
        add(
            "rootMeanSquareCalibrationError",
            name,
            {"scores": s, "labels": y, "binCount": 7},
            {"value": float(math.sqrt(sum(m / n * d * d for m, d in g)))},
            DEFINITION,
        )
        g = gaps(bins_equal_mass(s, y, 4))
        add(
            "expectedCalibrationError",
            f"{name}-equal-mass",
            {"scores": s, "labels": y, "binCount": 4, "binning": "equal-mass"},
            {"value": float(np.mean([d for _, d in g]))},
            DEFINITION,
            1e-9,
        )
        add("adaptiveCalibrationError", name, {"scores": s, "labels": y, "binCount": 4}, {"value": float(np.mean([d for _, d in g]))}, DEFINITION, 1e-9)

for kind in ["distinct", "tied"]:
    s, y = make(rng, 15, kind)
    fpr, tpr, _ = roc_curve(y, s, drop_intermediate=False)
    add("rocCurve", kind, {"scores": s, "labels": y}, {"falsePositiveRate": plain(fpr), "truePositiveRate": plain(tpr)}, f"{SKLEARN} roc_curve")
    value, _, _, variance = delong(s, y)
    half = stats.norm.ppf(0.975) * math.sqrt(variance)
    add(
        "delongInterval",
        kind,
        {"scores": s, "labels": y},
        {"value": float(value), "variance": float(variance), "low": float(max(0, value - half)), "high": float(min(1, value + half))},
        f"{DEFINITION}; normal quantile of {SCIPY}",
        1e-9,
    )
    other, _ = make(rng, 15, "skewed")
    a, a10, a01, _ = delong(s, y)
    b, b10, b01, _ = delong(other, y)
    variance = (a10 - b10).var(ddof=1) / len(a10) + (a01 - b01).var(ddof=1) / len(a01)
    z = (a - b) / math.sqrt(variance)
    add(
        "delongTest",
        kind,
        {"scores": s, "other": other, "labels": y},
        {"value": float(a - b), "z": float(z), "pValue": float(2 * stats.norm.sf(abs(z)))},
        f"{DEFINITION}; normal tail of {SCIPY}",
        1e-9,
    )
    small_s, small_y = s[:7], y[:7]
    add("areaUnderRiskCoverage", kind, {"scores": small_s, "labels": small_y}, {"value": aurc(small_s, small_y)}, DEFINITION)
    model = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(s, y)
    add("isotonic", kind, {"scores": s, "labels": y}, {"predictions": plain(model.predict(s))}, f"{SKLEARN} IsotonicRegression", 1e-9)

for n in [6, 30]:
    s = plain(0.02 + 0.96 * rng.random(n))
    y = [int(v) for v in rng.random(n) < np.array(s) ** 2]
    y[0], y[1] = 0, 1
    add("negativeLogLikelihood", f"random-{n}", {"scores": s, "labels": y}, {"value": log_loss(y, s)}, f"{SKLEARN} log_loss")
    logits = np.log(np.array(s) / (1 - np.array(s)))
    loss = lambda t: float(np.mean(np.logaddexp(0, np.where(np.array(y) == 1, -1, 1) * logits / math.exp(t))))
    best = optimize.minimize_scalar(loss, bounds=(math.log(0.01), math.log(100)), method="bounded", options={"xatol": 1e-10})
    add("temperature", f"random-{n}", {"scores": s, "labels": y}, {"negativeLogLikelihood": loss(best.x)}, f"{SCIPY} optimize.minimize_scalar", 1e-8)

for n in [50, 400]:
    for power in [1.0, 2.0]:
        s = plain(rng.random(n))
        y = [int(v) for v in rng.random(n) < np.array(s) ** power]
        value = float(relplot.smECE(np.array(s), np.array(y)))
        add("smoothCalibrationError", f"power-{power}-{n}", {"scores": s, "labels": y}, {"value": value}, "relplot 1.0.3 smECE", 5e-3)

for k, n, delta in [(0, 5, 0.05), (1, 1, 0.05), (3, 10, 0.05), (9, 10, 0.1), (10, 10, 0.05), (95, 100, 0.05), (4990, 5000, 0.01), (1, 100000, 0.05)]:
    low = 0.0 if k == 0 else float(stats.beta.ppf(delta, k, n - k + 1))
    high = 1.0 if k == n else float(stats.beta.ppf(1 - delta, k + 1, n - k))
    add("clopperPearson", f"{k}-of-{n}", {"successes": k, "trials": n, "delta": delta}, {"low": low, "high": high}, f"{SCIPY} stats.beta.ppf", 1e-9)

for n, c, k in [(1, 0, 1), (1, 1, 1), (5, 2, 3), (16, 1, 16), (16, 15, 2), (200, 3, 100), (10000, 17, 5000), (10000, 1, 1), (10000, 5000, 10000)]:
    value = 1 - Fraction(math.comb(n - c, k), math.comb(n, k))
    add("passAtK", f"{c}-of-{n}-k-{k}", {"n": n, "correct": c, "k": k}, {"value": float(value)}, "exact rational arithmetic, Python fractions", 1e-9)

for values in [[0.5, 0.7], [1.0, 2.0, 4.0], [0.3, 0.3, 0.3, 0.4, 0.9]]:
    low, high = stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))
    add("studentInterval", f"n-{len(values)}", {"values": values}, {"value": float(np.mean(values)), "low": float(low), "high": float(high)}, f"{SCIPY} stats.t.interval", 1e-8)

for differences in [[0.1, 0.2, -0.05, 0.3], [0.0, 0.0, 0.5], plain(rng.normal(0.3, 1, 11)), [0.1] * 8]:
    result = stats.permutation_test((differences,), lambda x: np.mean(x), permutation_type="samples", n_resamples=np.inf, vectorized=False)
    add("pairedPermutationTest", f"n-{len(differences)}-{len(cases)}", {"differences": differences}, {"pValue": float(min(1, result.pvalue))}, f"{SCIPY} stats.permutation_test, exact", 1e-9)

for p in [[0.01, 0.04, 0.03], [0.5, 0.5, 0.5, 0.5], [0.0, 1.0, 0.2], [0.02], plain(rng.random(9) ** 2)]:
    add("holm", f"n-{len(p)}-{len(cases)}", {"pValues": p}, {"adjusted": plain(multipletests(p, method="holm")[1])}, f"{STATSMODELS} multipletests")

for deviation, n, alpha, power in [(1.0, 10, 0.05, 0.8), (0.2, 3, 0.01, 0.9), (0.0, 5, 0.05, 0.8)]:
    value = (stats.norm.ppf(1 - alpha / 2) + stats.norm.ppf(power)) * deviation / math.sqrt(n)
    add("smallestDetectableDifference", f"n-{n}", {"deviation": deviation, "n": n, "alpha": alpha, "power": power}, {"value": float(value)}, f"formula with {SCIPY} stats.norm.ppf", 1e-8)

for values, q in [([1.0], 0.3), ([1.0, 2.0], 0.25), (plain(np.sort(rng.random(10))), 0.975)]:
    add("quantile", f"n-{len(values)}", {"values": values, "probability": q}, {"value": float(np.quantile(values, q))}, f"numpy {np.__version__} quantile")

print(json.dumps({"format": "capo.torture/1", "cases": cases}, indent=1))
