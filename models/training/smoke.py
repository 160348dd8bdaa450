"""A few steps of everything, to see that it runs: python3 smoke.py FOLDER.

Makes small pictures with rendered plates, renders a small pool, trains both networks for two steps each and exports them to FOLDER. What comes of
it reads nothing; that the hub's runtime loads it and gets the shapes that models/README.md names is for the caller to check.
"""
import multiprocessing
import os
import random
import runpy
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PHOTOS = 24
TEXT = "A12345"


def make_photographs(folder: str) -> None:
    """Grey pictures with a plate in each, and crops of plates, as labels.csv of the permitted photographs lists them."""
    import cv2
    import numpy as np
    import render

    r, g = random.Random(1), np.random.default_rng(1)
    np.random.seed(1)
    os.makedirs(folder + "/cn")
    lines = ["file,x1,y1,x2,y2,text,country"]
    for i in range(PHOTOS):
        plate = render.plate(r)[0][:, :, ::-1]
        img = g.integers(60, 160, (200, 300, 3), dtype=np.uint8)
        x, y, w, h = 40 + 4 * i, 60, 100, 30
        img[y:y + h, x:x + w] = cv2.resize(plate, (w, h))
        for name, picture, box, text in ((f"road/{i}.jpg", img, (x, y, x + w, y + h), ""), (f"dash/{i}.jpg", img, (x, y, x + w, y + h), ""),
                                         (f"cn/{i}.jpg", plate, (0, 0, 320, 96), TEXT), (f"two/{i}.jpg", img, (x, y, x + w, y + h), TEXT)):
            os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
            cv2.imwrite(f"{folder}/{name}", picture)
            lines.append(",".join(str(v) for v in (name, *box, text, "IN")))
    with open(folder + "/labels.csv", "w", encoding="utf8") as f:
        f.write("\n".join(lines) + "\n")


def check_growth(checkpoint: str) -> None:
    """More blocks change no answer before they are trained."""
    import torch
    from train_reader import reader_of

    state, plates = torch.load(checkpoint)["net"], torch.rand(2, 1, 64, 192)
    with torch.no_grad():
        before, after = (reader_of(state, more).eval()(plates)[0] for more in (0, 2))
    assert torch.equal(before, after), "the reader answers differently once it has grown"


def run(script: str, *args: str) -> None:
    """Runs one of the programs, which ends as a process of its own would."""
    sys.argv = [script, *args]
    runpy.run_path(os.path.join(HERE, script), run_name="__main__")


def apart(work, *args: str) -> None:
    """Does it in a process that is forked off, and ends this one if that fails."""
    process = multiprocessing.get_context("fork").Process(target=work, args=args)
    process.start()
    process.join()
    if process.exitcode != 0:
        sys.exit(f"{work.__name__} {' '.join(args)}: exit {process.exitcode}")


def main() -> None:
    os.environ.update({"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
    import cv2  # noqa: F401
    import torch  # noqa: F401  a second and a half: what is forked off below has both loaded, and nothing here uses them
    out = os.path.abspath(sys.argv[1])
    work = out + "/work"
    os.makedirs(work)
    apart(make_photographs, out + "/photographs")
    os.environ.update({"PLATES_DATA": out + "/photographs", "PLATES_WORK": work, "PLATES_POOL": work + "/pool", "PLATES_MODELS": out,
                       "POOL_CHUNK": "24"})
    steps = ["--steps", "2", "--batch", "4", "--held", "1"]
    for command in (["render.py", work + "/pool", "1", "1"], ["render.py", work + "/pool", "1", "90"], ["train_reader.py", *steps],
                    ["train_reader.py", "--resume", "--grow", "1", *steps], ["train_detector.py", *steps], ["export.py"]):
        apart(run, *command)
    apart(check_growth, work + "/reader.pt")


if __name__ == "__main__":
    main()
