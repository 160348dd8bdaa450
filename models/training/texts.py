"""Plate texts: groups of characters (shown apart) in the formats of several countries, frequencies flattened."""

from random import Random

STATES = ("AN AP AR AS BR CH CG DD DL GA GJ HR HP JH JK KA KL LA LD MH ML MN MP MZ NL OD PB PY RJ SK TG TN TR UK UP WB "
          "DN OR UA TS").split()
COMMON = "MH DL KA TN UP GJ HR KL AP TS RJ WB MP PB".split()
SERIES = "ABCDEFGHJKLMNPQRSTUVWXYZ"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FOREIGN = LETTERS + "OOOODDQIIJMWHNVY"  # what other countries use and India hardly does, and what is easily mixed up


MIXED_LETTERS = "VVVYYYMMNNHHKWDBPRUX"


def letters(r: Random, n: int, pool: str = SERIES) -> str:
    return "".join(r.choice(pool) for _ in range(n))


def digits(r: Random, n: int) -> str:
    return "".join(r.choice("0123456789") for _ in range(n))


def trade(r: Random, st: str) -> tuple[list[str], str]:
    """Trade certificates, with the number before, behind or without a further letter."""
    tc, n = "TC" + letters(r, r.choice([0, 0, 1]), LETTERS), digits(r, r.choice([1, 2, 2, 3, 3, 4]))
    return [st, digits(r, 2), f"({tc})" if r.random() < 0.4 else tc, n + letters(r, r.choice([0, 0, 1]))], "trade"


def indian(r: Random) -> tuple[list[str], str]:
    """Returns (groups, kind)."""
    groups, kind = plain_indian(r)
    if r.random() < 0.35 and len(groups) == 4 and kind == "private":
        first, district, series, number = groups
        series = mixed_up(r, series)
        number = "".join(r.choice("0836") if r.random() < 0.4 else c for c in number)
        if r.random() < 0.2:  # bars beside bars are easily counted wrong
            district, number = r.choice(["11", "01", "10", district]), "".join("1" if r.random() < 0.5 else c for c in number)
        groups = [first, district, series, number]
    return groups, kind


def mixed_up(r: Random, series: str) -> str:
    """The series with more of the letters that are taken for each other."""
    series = "".join(r.choice(MIXED_LETTERS) if r.random() < 0.6 else c for c in series)
    return series[0] * len(series) if series and r.random() < 0.15 else series  # doubled ones run into each other


def plain_indian(r: Random) -> tuple[list[str], str]:
    k = r.random()
    if k < 0.035:
        return trade(r, r.choice(STATES))
    k = r.random()
    st = r.choice(COMMON) if r.random() < 0.5 else r.choice(STATES)
    num = digits(r, 4) if r.random() < 0.93 else digits(r, r.choice([1, 2, 3]))
    if k < 0.62:
        return [st, digits(r, 2), letters(r, 2), num], "private"
    if k < 0.79:
        return [st, digits(r, 2), letters(r, 1), num], "private"
    if k < 0.855:
        return ["DL", r.choice("123456789") if r.random() < .6 else digits(r, 2),
                r.choice("CSEPRTVY") + letters(r, r.choice([1, 2, 2])), num], "private"
    if k < 0.88:
        return [st, r.choice("123456789"), letters(r, r.choice([0, 1, 2, 3])), num], "private"
    if k < 0.905:
        return [st, digits(r, 2), "", num], "private"
    if k < 0.925:
        return [st, digits(r, 2), letters(r, 3), num], "private"
    if k < 0.945:
        return [digits(r, 2), "BH", digits(r, 4), letters(r, r.choice([1, 2]))], "private"
    if k < 0.955:
        return ["T" + digits(r, 4), st, digits(r, 4), letters(r, r.choice([1, 2]))], "temporary"
    if k < 0.967:
        return trade(r, st)
    if k < 0.975:
        return [digits(r, r.choice([2, 3])), r.choice(["CD", "CC", "UN"]), "", digits(r, r.choice([1, 2, 3, 4]))], "diplomatic"
    if k < 0.985:
        return [digits(r, 2), letters(r, 1), digits(r, 6), letters(r, 1)], "military"
    if k < 0.993:
        return [letters(r, 3), "", "", digits(r, r.choice([3, 4]))], "private"
    return [st, "VA", letters(r, 2), digits(r, 4)], "private"


def european(r: Random) -> list[str]:
    f = r.choice(["LL DDD LL", "L DD LLL", "LL DD LLL", "LLL DDDD", "DDDD LLL", "LL DDDDD", "LLL DDD", "L DDDD LL",
                  "D LLL DDD", "LL DD DDD", "LL DDD L", "LLL DD DD", "DDD LL DD", "LL LL DDDD", "LL DDDD LL", "LLL LDDD"])
    return ["".join(r.choice(LETTERS) if c == "L" else r.choice("0123456789") for c in g) for g in f.split()]


def american(r: Random) -> list[str]:
    f = r.choice(["LLL DDDD", "DLLL DDD", "LLL DDD", "DDD LLL", "DDDDDD", "LL DDDDD", "DDDD LL", "LL DDD LL", "LLL LLL", "LLLLLLL",
                  "LDD DDD", "DLL DDDD", "LLDDDD", "DDLLDDD", "LLLL DD", "LDD LLL", "LDDD LL", "LLD LDL", "DDD DLL", "DLL DDD", "LLL DDL",
                  "LDDDDDD", "D DDDDL", "DLDD DDD", "LLD LDDD", "DLLL DD", "DDL DDD"])
    return ["".join(r.choice(FOREIGN) if c == "L" else r.choice("0123456789") for c in g) for g in f.split()]


def brazilian(r: Random) -> list[str]:
    a, d = letters(r, 3, FOREIGN), digits(r, 4)
    return [a + d[0] + r.choice(FOREIGN) + d[2:]] if r.random() < 0.5 else [a, d]


# Characters that the faces of a country make look alike: an I with feet and a T, M and W of one width.
ALIKE = {"us": ("IIITTBSZGOQDL", "1117708256"), "br": ("MWNDOQ", "08"), "eu": ("OQDIMWNH", "01")}


def alike(r: Random, groups: list[str], kind: str) -> list[str]:
    """The same shape with half of its characters among those that are mixed up on plates of this kind."""
    letters_, digits_ = ALIKE[kind]
    return ["".join(c if r.random() < 0.5 else r.choice(digits_ if c.isdigit() else letters_) for c in g) for g in groups]


def chinese(r: Random) -> list[str]:
    return [r.choice(LETTERS), "".join(r.choice(LETTERS + "0123456789" * 2) for _ in range(5))]


def uniform(r: Random) -> list[str]:
    n = r.choice([4, 5, 6, 7, 7, 8, 8, 9, 9, 10, 10, 10, 11, 12])
    s = "".join(r.choice(LETTERS + "0123456789") for _ in range(n))
    cut = sorted(r.sample(range(1, n), min(n - 1, r.choice([0, 1, 2, 3]))))
    return [s[a:b] for a, b in zip([0] + cut, cut + [n])]
