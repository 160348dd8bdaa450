"""Fits how likely a read is right: python3 fit_confidence.py EVIDENCE [--most-wrong 0.02] [--write].

EVIDENCE comes of `npm run bench -- anpr FOLDER --evidence EVIDENCE`: numbers that speak for and against each read, and whether it was
right; no pictures. A logistic regression per family of plates; --write puts it into src/core/plates/confidence.json.
Every read is there after the first view and after each further one; as in the hub, a look that is certain ends it, and one without hope.
150 plates are set aside: they decide nothing, neither weights nor the least confidence, and judge at the end. Which ones: the labels in order of
the SHA-256 of their text, with all photographs of each, until there are 150. Of the others, everything is
cross-validated over plates (all reads of one number are in one fold). The least confidence is chosen on what is said of plates by models that were
not fitted on them: fitted ones are too sure of their own plates. In the cross-validated figures each fold's is chosen on the other folds.
"""
import argparse
import hashlib
import json
import os
import random
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.join(HERE, "../../src/core/plates/confidence.json")
INDIAN = {"olx", "google", "video", "auto"}
NAMES = {"indian": ("margin", "cost", "legible", "support", "product", "rarity", "bent", "mixable", "agreed"),
         "foreign": ("cost", "legible", "support", "product", "rarity", "bent", "agreed")}
EXPECTED = {"margin": 1, "cost": -1, "legible": 1, "support": 1, "product": 1, "rarity": -1, "bent": -1, "mixable": -1, "agreed": 1}
FOLDS, RIDGE = 10, 0.02
SET_ASIDE = 150
# Least confidence of the reads of other countries: from here on 3 % of American plates are wrong ones. They are too few to choose it by cross-validation.
LEAST_FOREIGN = 0.75
AT_ONCE, CERTAIN, TIE = 0.96, 0.88, 0.1 ** 0.5  # as in src/core/plates/read.ts
HOPELESS, PLAINLY = {True: 0.02, False: 0.3}, 0.85  # as there; the score as in src/features/recognition/frame-reader.ts


def proposal(row, family):
    return next((p for p in row["proposals"] if p["family"] == family), None)


def matrix(rows, family):
    found = [p for p in (proposal(r, family) for r in rows) if p]
    x = np.array([[p["evidence"][n] for n in NAMES[family]] for p in found], float).reshape(-1, len(NAMES[family]))
    return x, np.array([p["isRight"] for p in found], float)


def fit(x, y, signs):
    """Ridge logistic regression by Newton's method; a weight whose sign speaks against sense is left out."""
    use = np.ones(x.shape[1], bool)
    sd = x.std(0) + 1e-6
    while True:
        z = np.hstack([np.ones((len(x), 1)), (x / sd)[:, use]])
        w = np.zeros(z.shape[1])
        penalty = RIDGE * len(x) * np.r_[0, np.ones(use.sum())] / 10
        for _ in range(50):
            p = 1 / (1 + np.exp(-np.clip(z @ w, -30, 30)))
            h = (z * (p * (1 - p))[:, None]).T @ z + np.diag(penalty + 1e-6)
            w = w + np.linalg.solve(h, z.T @ (y - p) - penalty * w)
        weights = np.zeros(x.shape[1])
        weights[use] = w[1:] / sd[use]
        wrong = (weights * signs < 0) & use
        if not wrong.any():
            return w[0], weights
        use[np.argmax(np.where(wrong, np.abs(weights) * sd, -1))] = False


def train(rows):
    out = {}
    for family, names in NAMES.items():
        x, y = matrix(rows, family)
        signs = np.array([EXPECTED[n] for n in names])
        out[family] = fit(x, y, signs)
    return out


def share(model, row, family):
    p = proposal(row, family)
    if p is None:
        return None, False
    bias, w = model[family]
    return 1 / (1 + np.exp(-(bias + w @ np.array([p["evidence"][n] for n in NAMES[family]])))), p["isRight"]


def weighed(model, looks):
    """What the model says of every look: (family, share, right?, no tie?, rare?) of each proposal; and below which share there is no hope."""
    out = []
    for row in looks:
        said = []
        for family in NAMES:
            q, right = share(model, row, family)
            if q is not None:
                p = proposal(row, family)
                said.append((family, q, right, p["evidence"]["margin"] >= TIE, p["isRare"]))
        out.append(said)
    return out, HOPELESS[looks[0].get("score", 0) >= PLAINLY]


def decide(least, said_of_looks):
    """(confidence or None, right?, looks taken) as the hub decides."""
    p, right, taken = None, False, 0
    looks, hopeless = said_of_looks
    for taken, said in enumerate(looks, 1):
        p, right, rare, chance = None, False, False, 0.0
        for family, q, is_right, is_plain, is_rare in said:
            chance = max(chance, q)
            if (p is None or q > p) and q >= least[family] and is_plain:
                p, right, rare = q, is_right, is_rare
        is_certain = p is not None and chance >= (AT_ONCE if taken == 1 else CERTAIN) and not rare  # a rare layout may be a usual one cut off, unless all of three views show it
        if is_certain or (taken > 1 and p is None and chance < hopeless):
            break
    return p, right, taken


def choose_least(said, is_indian, most_wrong):
    """The least confidences that leave the most right reads among Indian plates while no more than the given share of them is wrong, and no plate of another
    country becomes a wrong Indian one."""
    indian = [looks for looks, own in zip(said, is_indian) if own]
    grid = np.r_[np.arange(0.4, 0.9, 0.02), np.arange(0.9, 0.99, 0.01)]
    others = [looks for looks, own in zip(said, is_indian) if not own]
    foreign = LEAST_FOREIGN
    wrong_others = lambda least: sum(p is not None and not right for p, right, _ in (decide({"indian": least, "foreign": foreign}, looks) for looks in others))
    best = (0.0, 0.98, foreign)
    for g in grid:
        if wrong_others(g) > wrong_others(2.0):
            continue
        got = [decide({"indian": g, "foreign": foreign}, looks) for looks in indian]
        wrong = sum(p is not None and not right for p, right, _ in got) / len(indian)
        exact = sum(p is not None and right for p, right, _ in got) / len(indian)
        if wrong <= most_wrong and exact > best[0] + 1e-9:
            best = (exact, float(g), foreign)
    return {"indian": best[1], "foreign": best[2]}


def set_aside(reads):
    """Whether each read is of a plate that decides nothing."""
    of = {}
    for i, r in enumerate(reads):
        of.setdefault(r[-1]["label"], []).append(i)
    aside = set()
    for label in sorted(of, key=lambda text: hashlib.sha256(text.encode()).hexdigest()):
        if len(aside) < SET_ASIDE:
            aside.update(of[label])
    return [i in aside for i in range(len(reads))]


def report(title, got):
    print(title)
    print("  looks taken: " + ", ".join(f"{k}: {sum(t == k for *_, t in got)}" for k in sorted({t for *_, t in got})))
    groups = {"Indian": lambda r: r["subset"] in INDIAN, "two lines": lambda r: r["subset"] in INDIAN and r["twoLine"], "auto": lambda r: r["subset"] == "auto",
              "us": lambda r: r["subset"] == "us", "eu": lambda r: r["subset"] == "eu", "br": lambda r: r["subset"] == "br"}
    for name, test in groups.items():
        some = [(p, right) for r, p, right, _ in got if test(r[-1])]
        if some:
            print(f"  {name:10} n {len(some):3} exact {sum(p is not None and b for p, b in some) / len(some):.3f} wrong {sum(p is not None and not b for p, b in some) / len(some):.3f}")
    for lo, hi in ((0.95, 1.01), (0.9, 0.95), (0.8, 0.9), (0.6, 0.8), (0.0, 0.6)):
        some = [(p, b) for _, p, b, _ in got if p is not None and lo <= p < hi]
        if some:
            print(f"  said {lo:.2f}-{min(hi, 1):.2f}: {len(some):3} reads, mean {np.mean([p for p, _ in some]):.3f}, right {np.mean([b for _, b in some]):.3f}")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("evidence")
    ap.add_argument("--most-wrong", type=float, default=0.01)
    ap.add_argument("--write", action="store_true")
    a = ap.parse_args()
    rows = [json.loads(line) for line in open(a.evidence, encoding="utf8")]
    reads = {}
    for r in rows:
        reads.setdefault((r["file"], r["label"]), []).append(r)
    reads = list(reads.values())
    judges = [r for r, is_aside in zip(reads, set_aside(reads)) if is_aside]
    reads = [r for r, is_aside in zip(reads, set_aside(reads)) if not is_aside]
    rows = [row for r in reads for row in r]
    labels = sorted({r["label"] for r in rows})
    random.Random(1).shuffle(labels)
    fold = {label: i % FOLDS for i, label in enumerate(labels)}
    is_indian = [r[-1]["subset"] in INDIAN for r in reads]
    of = [fold[r[-1]["label"]] for r in reads]
    unseen = [[] for _ in reads]  # what is said of every plate by a model that was not fitted on it
    for k in range(FOLDS):
        model = train([row for r, own in zip(reads, of) if own != k for row in r])
        for i in np.flatnonzero(np.array(of) == k):
            unseen[i] = weighed(model, reads[i])
    held = []
    for k in range(FOLDS):
        rest = [i for i, own in enumerate(of) if own != k]
        least = choose_least([unseen[i] for i in rest], [is_indian[i] for i in rest], a.most_wrong)
        held += [(reads[i], *decide(least, unseen[i])) for i, own in enumerate(of) if own == k]
    report("cross-validated over plates", held)
    model = train(rows)
    said = [weighed(model, r) for r in reads]
    least = choose_least(unseen, is_indian, a.most_wrong)
    report("fitted", [(r, *decide(least, looks)) for r, looks in zip(reads, said)])
    report("set aside: plates that decided nothing", [(r, *decide(least, weighed(model, r))) for r in judges])
    for most in (0.01, 0.015, 0.02, 0.03):
        other = choose_least(unseen, is_indian, most)
        got = [decide(other, looks) for looks, own in zip(unseen, is_indian) if own]
        print(f"  at most {most:.1%} wrong: least {other['indian']:.2f}, exact {sum(p is not None and b for p, b, _ in got) / len(got):.3f}")
    out = {f: {"least": round(least[f], 3), "bias": round(float(b), 4),
               "weights": {n: round(float(dict(zip(NAMES[f], w)).get(n, 0)), 4) for n in NAMES["indian"]}} for f, (b, w) in model.items()}
    print(json.dumps(out, indent=2))
    if a.write:
        with open(TARGET, "w", encoding="utf8") as f:
            json.dump(out, f, indent=2)
            f.write("\n")


if __name__ == "__main__":
    main()
