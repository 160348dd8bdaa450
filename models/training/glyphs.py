"""Letter forms: a stroke face of our own (rounded, like the plates' FE/DIN-like face) and free fonts."""
import fnmatch
import glob
import os
import random
import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from places import HERE, WORK
from shapes import FOOTED, SQUARES, VARIANTS

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
CAP = 72  # height in pixels at which glyph masks are kept

# Strokes on a grid of 4 wide and 8 high: (rounded corners, closed, points).
STROKES = {
    "0": [(1, 1, [(1, 0), (3, 0), (4, 1.2), (4, 6.8), (3, 8), (1, 8), (0, 6.8), (0, 1.2)])],
    "1": [(0, 0, [(0.6, 1.4), (2, 0), (2, 8)])],
    "2": [(1, 0, [(0, 2), (0, 1), (1, 0), (3, 0), (4, 1), (4, 2.8), (0, 8)]), (0, 0, [(0, 8), (4, 8)])],
    "3": [(1, 0, [(0, 1.6), (0.4, 0), (3.4, 0), (3.9, 1), (3.8, 3), (3, 3.8), (1.4, 3.8)]),
          (1, 0, [(2.2, 3.8), (3.6, 4), (4, 5), (4, 7), (3, 8), (0.6, 8), (0, 6.4)])],
    "4": [(0, 0, [(2.8, 8), (2.8, 0), (2.3, 0), (0, 5.8), (4, 5.8)])],
    "5": [(0, 0, [(3.7, 0), (0.5, 0), (0.3, 3.6)]),
          (1, 0, [(0.3, 3.6), (1.2, 2.8), (3, 2.8), (4, 3.8), (4, 6.8), (3, 8), (0.7, 8), (0, 6.6)])],
    "6": [(1, 0, [(3.4, 0), (1.6, 0.4), (0, 3.4), (0, 6)]),
          (1, 1, [(1, 3.3), (3, 3.3), (4, 4.4), (4, 6.9), (3, 8), (1, 8), (0, 6.9), (0, 4.4)])],
    "7": [(0, 0, [(0, 0), (4, 0), (1.4, 8)])],
    "8": [(1, 1, [(1, 0), (3, 0), (3.8, 1), (3.8, 2.9), (3, 3.8), (1, 3.8), (0.2, 2.9), (0.2, 1)]),
          (1, 1, [(1, 3.8), (3, 3.8), (4, 4.8), (4, 7), (3, 8), (1, 8), (0, 7), (0, 4.8)])],
    "9": [(1, 0, [(0.6, 8), (2.4, 7.6), (4, 4.6), (4, 2)]),
          (1, 1, [(1, 0), (3, 0), (4, 1.1), (4, 3.6), (3, 4.7), (1, 4.7), (0, 3.6), (0, 1.1)])],
    "A": [(0, 0, [(0, 8), (1.7, 0), (2.3, 0), (4, 8)]), (0, 0, [(0.7, 5.6), (3.3, 5.6)])],
    "B": [(1, 0, [(0, 3.8), (2.8, 3.8), (3.7, 3), (3.7, 0.8), (2.8, 0), (0, 0)]), (0, 0, [(0, 0), (0, 8)]),
          (1, 0, [(0, 8), (3, 8), (4, 7.2), (4, 4.6), (3, 3.8), (0, 3.8)])],
    "C": [(1, 0, [(4, 2), (4, 1), (3, 0), (1, 0), (0, 1), (0, 7), (1, 8), (3, 8), (4, 7), (4, 6)])],
    "D": [(1, 0, [(0, 0), (2.6, 0), (4, 1.5), (4, 6.5), (2.6, 8), (0, 8)]), (0, 0, [(0, 0), (0, 8)])],
    "E": [(0, 0, [(4, 0), (0, 0), (0, 8), (4, 8)]), (0, 0, [(0, 3.9), (3.2, 3.9)])],
    "F": [(0, 0, [(4, 0), (0, 0), (0, 8)]), (0, 0, [(0, 3.9), (3.2, 3.9)])],
    "G": [(1, 0, [(4, 2), (4, 1), (3, 0), (1, 0), (0, 1), (0, 7), (1, 8), (3, 8), (4, 7), (4, 4.3)]),
          (0, 0, [(4, 4.3), (2.2, 4.3)])],
    "H": [(0, 0, [(0, 0), (0, 8)]), (0, 0, [(4, 0), (4, 8)]), (0, 0, [(0, 3.9), (4, 3.9)])],
    "I": [(0, 0, [(2, 0), (2, 8)])],
    "J": [(1, 0, [(3.6, 0), (3.6, 6.9), (2.7, 8), (1, 8), (0, 7), (0, 5.8)])],
    "K": [(0, 0, [(0, 0), (0, 8)]), (0, 0, [(4, 0), (0, 4.8)]), (0, 0, [(1.4, 3.4), (4, 8)])],
    "L": [(0, 0, [(0, 0), (0, 8), (3.8, 8)])],
    "M": [(0, 0, [(0, 8), (0, 0), (2.2, 4.8), (4.4, 0), (4.4, 8)])],
    "N": [(0, 0, [(0, 8), (0, 0), (4, 8), (4, 0)])],
    "O": [(1, 1, [(1, 0), (3, 0), (4, 1.2), (4, 6.8), (3, 8), (1, 8), (0, 6.8), (0, 1.2)])],
    "P": [(1, 0, [(0, 4.4), (3, 4.4), (4, 3.5), (4, 1), (3, 0), (0, 0)]), (0, 0, [(0, 0), (0, 8)])],
    "Q": [(1, 1, [(1, 0), (3, 0), (4, 1.2), (4, 6.8), (3, 8), (1, 8), (0, 6.8), (0, 1.2)]),
          (0, 0, [(2.4, 6), (4.1, 8.3)])],
    "R": [(1, 0, [(0, 4.4), (3, 4.4), (4, 3.5), (4, 1), (3, 0), (0, 0)]), (0, 0, [(0, 0), (0, 8)]),
          (0, 0, [(2, 4.4), (4, 8)])],
    "S": [(1, 0, [(4, 1.8), (3.8, 0.6), (3, 0), (1, 0), (0.1, 0.9), (0.1, 3), (1, 3.8), (3, 4.1), (4, 5),
                  (4, 7), (3, 8), (1, 8), (0.2, 7.4), (0, 6.2)])],
    "T": [(0, 0, [(0, 0), (4, 0)]), (0, 0, [(2, 0), (2, 8)])],
    "U": [(1, 0, [(0, 0), (0, 6.8), (1, 8), (3, 8), (4, 6.8), (4, 0)])],
    "V": [(0, 0, [(0, 0), (1.8, 8), (2.2, 8), (4, 0)])],
    "W": [(0, 0, [(0, 0), (1.1, 8), (2.5, 2.2), (3.9, 8), (5, 0)])],
    "X": [(0, 0, [(0, 0), (4, 8)]), (0, 0, [(4, 0), (0, 8)])],
    "Y": [(0, 0, [(0, 0), (2, 4.2), (4, 0)]), (0, 0, [(2, 4.2), (2, 8)])],
    "Z": [(0, 0, [(0, 0), (4, 0), (0, 8), (4, 8)])],
    "(": [(1, 0, [(1.6, -0.4), (0, 2), (0, 6), (1.6, 8.4)])],  # drawn, never read
    ")": [(1, 0, [(0, -0.4), (1.6, 2), (1.6, 6), (0, 8.4)])],
}

# Groups of free fonts from Debian packages (licences in ../plate-reader.md), with the share of plates they draw.
GROUPS = {
    "plate": (0.40, ["OSP-DIN.ttf", "RG2014B.ttf", "RG2014C.ttf", "RG2014D.ttf", "RG2014E.ttf", "RG2014EM.ttf", "*RobotoCondensed-Bold.ttf", "*RobotoCondensed-Regular.ttf",
                     "*LiberationSansNarrow-Bold.ttf", "*LiberationSansNarrow-Regular.ttf", "*NimbusSansNarrow-Bold.t*",
                     "*DejaVuSansCondensed-Bold.ttf", "*routed-gothic.ttf", "*routed-gothic-narrow.ttf", "*routed-gothic-half-italic.ttf", "*osifont*.ttf", "*BebasNeue-Bold*", "*BebasNeue-Regular*",
                     "*NationalPark*Bold*", "*NationalPark-Heavy*", "*Dosis-Bold*", "*Dosis-SemiBold*", "*Tuffy_Bold.*"]),
    "sans": (0.36, ["*LiberationSans-Bold.ttf", "*LiberationSans-Regular.ttf", "*FreeSansBold.ttf", "*FreeSans.ttf",
                    "*Roboto-Bold.ttf", "*Roboto-Medium.ttf", "*Roboto-Black.ttf", "*DejaVuSans-Bold.ttf", "*DejaVuSans.ttf",
                    "*OpenSans-Bold.ttf", "*Lato-Bold.ttf", "*Lato-Black.ttf", "*Carlito-Bold.ttf", "*Cabin-Bold.*",
                    "*texgyreadventor-bold.otf", "*texgyreheros-bold.otf", "*texgyreheroscn-bold.otf", "*Allerta*",
                    "*URWGothic-Demi.t*", "*Comfortaa-Bold*", "*Play-Bold*", "*GilliusADF-Bold.otf", "*UniversalisADFStd-Bold.otf",
                    "*LiberationSans-BoldItalic.ttf", "*FreeSansBoldOblique.ttf", "*LiberationMono-Bold.ttf", "*FreeMonoBold.ttf",
                    "*YanoneKaffeesatz-Bold*", "*LeagueSpartan-Bold*", "*LeagueSpartan-SemiBold*", "Inter-Bold.otf", "Inter-ExtraBold.otf", "Manrope-Bold.ttf", "B612-Bold.otf",
                    "ClearSans-Bold.ttf", "PTS75F.ttf", "PTN77F.ttf", "Karla-Bold.otf", "Oxygen-Sans-Bold.ttf", "LibrisADFStd-Bold.otf", "IkariusADFStd-Bold.otf", "VeranaSans-Bold.otf",
                    "LeagueMono-CondensedBold.otf", "LeagueMono-Bold.otf", "Go-Bold.ttf", "tiresias_infofont_bold.ttf", "GemunuLibre-Bold.otf", "Ubuntu-Title.ttf", "dustismo_bold.ttf",
                    "millimetreA Bold 01.otf", "eurof75.ttf", "cmunsx.ttf", "LinBiolinum_RB.otf"]),
    "wide": (0.05, ["Jura-Bold.otf", "Jura-SemiBold.otf", "FerriteCoreDX-Medium.otf", "FerriteCoreDX-Black.otf", "Sora-Bold.otf", "Sora-SemiBold.otf", "Play-Bold.*", "*LeagueSpartan-Bold*"]),
    "serif": (0.17, ["RobotoSlab-Bold.otf", "OldStandard-Bold.ttf", "GFSDidotBold.otf", "GFSBodoniClassic.otf", "*LiberationSerif-Bold.ttf", "*FreeSerifBold.ttf", "*DejaVuSerif-Bold.ttf", "*DejaVuSerifCondensed-Bold.ttf",
                     "*C059-Bold.t*", "*C059-BdIta.t*", "*NimbusRoman-Bold.t*", "*P052-Bold.t*", "*Bookman-Demi.t*", "*texgyrebonum-bold.otf", "*LiberationSerif-BoldItalic.ttf",
                     "*GenBasB.ttf", "MekanusADFStd-Bold.otf", "MekanusADFStd-BoldItalic.otf", "MekanusADFTitlingStd-Bold.otf", "BaskervaldADFStd-Heavy.otf", "BaskervaldADFStd-HeavyItalic.otf",
                     "BerenisADFPro-Bold.otf", "TribunADFStd-BoldCond.otf", "TribunADFStd-BoldCondItalic.otf", "TribunADFStd-ExtraBold.otf", "TribunADFStd-ExtraBoldItalic.otf",
                     "RomandeADFStd-DemiBold.otf", "AveriaSerifGWF-Bold.ttf", "AveriaSerifGWF-BoldItalic.ttf", "Century-Catalogue.ttf", "cmunbbx.ttf", "cmunbi.ttf", "cmunbx.ttf", "cmunrb.ttf",
                     "Compagnon-Bold.otf", "Courier Prime Bold.otf", "Caladea-Bold.ttf", "Caladea-BoldItalic.ttf", "LinLibertine_RB.otf", "LinLibertine_RBI.otf", "CharisSIL-Bold.ttf",
                     "Vollkorn-Black.ttf", "Vollkorn-BlackItalic.ttf", "Vollkorn-Bold.ttf", "STIXGeneral-Bold.otf", "STIXGeneral-BoldItalic.otf", "Yrsa-Bold.ttf", "Yrsa-BoldItalic.ttf",
                     "Dustismo_Roman_Bold.ttf", "Dustismo_Roman_Italic_Bold.ttf", "GFSArtemisiaBold.otf", "GFSArtemisiaBoldIt.otf", "JunicodeTwoBeta-Bold.otf", "PTF75F.ttf", "Verana-Bold.otf",
                     "Caslon-Black.ttf", "CaslonBold.ttf", "LobsterTwo-Bold.otf"]),
    "hand": (0.06, ["Breip.ttf", "*Purisa-Bold.ttf", "*Humor-Sans*", "*ComicNeue-Bold.*", "dkgBd.ttf", "*BetecknaGS-Bold*", "*BetecknaGSCondensed-Bold*", "OCRB.otf", "OCRABold.ttf", "Rufscript010.ttf", "AveriaGWF-Bold.ttf", "AveriaGWF-Gruesa.ttf", "Domestic_Manners.ttf"]),
}
OWN_SHARE = 0.30


def _find():
    files = [f for ext in ("ttf", "otf", "t1", "TTF") for f in glob.glob(f"/usr/share/fonts/**/*.{ext}", recursive=True)]
    files += glob.glob("/usr/share/texmf/fonts/**/*.otf", recursive=True)
    found = {}
    for g, (w, pats) in GROUPS.items():
        hit = sorted({f for p in pats for f in files if fnmatch.fnmatch(os.path.basename(f), p)
                      and "math" not in f.lower()})
        found[g] = (w, hit)
    return found


def _find_more():
    """{kind: files} of the faces in faces.txt that are installed."""
    found = {}
    with open(os.path.join(HERE, "faces.txt"), encoding="utf8") as f:
        rows = [line.split() for line in f if not line.startswith("#")]
    for kind, name, style, _ in rows:
        path = f"{WORK}/faces/node_modules/@fontsource/{name}/files/{name}-latin-{style}.woff"
        if os.path.exists(path):
            found.setdefault(kind, []).append(path)
    return found


def strokes_of(ch, variant):
    """The strokes of a character in a variant of our own face."""
    return VARIANTS[variant].get(ch) or STROKES.get(ch, STROKES["0"])


class Faces:
    """Chooses a face for a plate and gives the mask of each character (uint8, CAP pixels high)."""

    def __init__(self):
        self.found = _find()
        self.more = _find_more()
        self.serif = {*self.found["serif"][1], *self.more.get("serif", [])}
        self.wide = {*self.found["wide"][1], *self.more.get("wide", [])}
        self.cache = {}
        self.fonts = {}

    def choose(self, rng, serif=0.0, more=0.0):
        """A face for a plate; `serif`: share of those with serifs besides the usual one, `more`: share of those of faces.txt."""
        if self.more and rng.random() < more:
            return ("font", rng.choice([f for files in self.more.values() for f in files]))
        if serif and rng.random() < serif:
            return ("font", rng.choice(self.found["serif"][1]))
        if rng.random() < OWN_SHARE:
            return self.stroked(rng)
        r = rng.random() * sum(w for w, f in self.found.values() if f)
        for w, files in self.found.values():
            if not files:
                continue
            if r < w:
                return ("font", rng.choice(files))
            r -= w
        return ("own", 1.0, 0)

    @staticmethod
    def stroked(rng):
        """A face of our own strokes."""
        variant = rng.choice(range(len(VARIANTS)))
        return ("own", rng.choice([0.75, 0.9, 1.05, 1.2] if variant in SQUARES else [0.75, 0.9, 1.05, 1.2, 1.4, 1.6]), variant)

    def is_wide(self, face):
        """Whether the face is of the kind that is drawn wider than high: square-cornered, as dealers like it."""
        return face[2] in SQUARES if face[0] == "own" else face[1] in self.wide

    def is_serif(self, face):
        return face[0] == "font" and face[1] in self.serif

    def font(self, path, size):
        key = (path, size)
        if key not in self.fonts:
            self.fonts[key] = ImageFont.truetype(path, size)
        return self.fonts[key]

    def glyph(self, face, ch, feet=None):
        """The mask of a character; `feet`: which of the shapes with feet stand for those of the face."""
        if feet is not None and ch in FOOTED[feet]:
            return self._own(FOOTED[feet][ch], min(1.2, face[1]) if face[0] == "own" else 1.0)
        key = (face, ch)
        if key not in self.cache:
            self.cache[key] = self._own(strokes_of(ch, face[2]), face[1]) if face[0] == "own" else self._font(ch, face[1])
        return self.cache[key]

    def _font(self, ch, path):
        f = self.font(path, 96)
        im = Image.new("L", (200, 220), 0)
        ImageDraw.Draw(im).text((40, 30), ch, fill=255, font=f)
        a = np.array(im)
        ys, xs = np.where(a > 100)
        if len(ys) == 0:
            return self._own(strokes_of(ch, 0), 1.0)
        a = a[ys.min():ys.max() + 1, xs.min():xs.max() + 1]
        return cv2.resize(a, (max(6, round(a.shape[1] * CAP / a.shape[0])), CAP), interpolation=cv2.INTER_AREA)

    @staticmethod
    def _own(strokes, stroke):
        s, t = 8.0, max(3, int(8.5 * stroke))
        im = np.zeros((140, 100), np.uint8)
        for rounded, closed, pts in strokes:
            p = np.array(pts, np.float32)
            for _ in range(2 if rounded else 0):
                q = np.vstack([p, p[:1]]) if closed else p
                a, b = q[:-1] * 0.75 + q[1:] * 0.25, q[:-1] * 0.25 + q[1:] * 0.75
                mid = np.stack([a, b], 1).reshape(-1, 2)
                p = mid if closed else np.vstack([p[:1], mid, p[-1:]])
            p = ((p * s + 24) * 16).astype(np.int32)
            cv2.polylines(im, [p.reshape(-1, 1, 2)], bool(closed), 255, t, cv2.LINE_AA, 4)
        ys, xs = np.where(im > 100)
        a = im[ys.min():ys.max() + 1, xs.min():xs.max() + 1]
        return cv2.resize(a, (max(6, round(a.shape[1] * CAP / a.shape[0])), CAP), interpolation=cv2.INTER_AREA)
