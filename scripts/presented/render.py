"""Renders presented plates and genuine approaches as bursts: python3 render.py OUT [--split test|train] [--seed 1] [--attacks 200] [--genuine 200] [--learning 50].

OUT/<split>/manifest.csv names every burst: class (attack, genuine, or learning: accepted passes from which a camera learns its lane), kind, light,
motion, place, what the medium shows, plate, camera, the burst that a replay repeats, and when each frame was taken (milliseconds). The two
splits share no plate, no vehicle and no background. Nothing is drawn from outside the permitted photographs (PLATES_DATA). Every burst has random
numbers of its own: the same seed gives the same burst, whatever else is rendered.
"""
import argparse
import csv
import json
import multiprocessing
import os
import random
import zlib
import cv2
import numpy as np
from scene import LIGHTS, Blind, Camera, Shot, cameras
from attacks import attack, mounted
from vehicles import Listed, Vehicle, genuine, listed, photograph_of, vehicles

COLUMNS = ("folder", "class", "kind", "light", "motion", "place", "shows", "plate", "camera", "of", "times")
LISTED = 40
KINDS = {"paper": 0.225, "phone": 0.225, "tablet": 0.175, "board": 0.175, "mounted": 0.05, "replay": 0.15}
MEDIA = ("paper", "phone", "tablet", "board")
MOTIONS = ("held", "held", "held", "walked", "leaned", "still")
REPLAYS = ("same bytes", "recompressed", "scaled", "cropped", "brightened")
SPREAD = (0.45, 0.25, 0.30)  # of day, dusk and infrared


class Dice:
    """The random numbers of one burst."""

    def __init__(self, *of: object) -> None:
        seed = zlib.crc32("/".join(str(x) for x in of).encode())
        self.g, self.r = np.random.default_rng(seed), random.Random(seed)
        np.random.seed(seed)  # the plates' renderer draws from it too

    def times(self, most: int = 8) -> list[float]:
        """4 frames or more, 250 ms apart as the hub takes them, now and then slower."""
        gap = 0.25 if self.g.random() < 0.8 else self.g.uniform(0.15, 0.5)
        n = int(self.g.integers(4, most + 1))
        return [0.0] + [float(t) for t in np.cumsum(np.maximum(self.g.normal(gap, 0.012, n - 1), 0.05))]

    def light(self) -> str:
        return str(self.g.choice(LIGHTS, p=SPREAD))


def quotas(count: int) -> list[str]:
    """Kinds of attack in their shares, replays last: they repeat what stands before them."""
    out = [kind for kind, share in KINDS.items() for _ in range(round(share * count))]
    return (out + ["paper"] * count)[:count] if len(out) < count else out[:count]


def replayed(dice: Dice, frames: list[bytes], how: str) -> list[bytes]:
    """Recorded frames as somebody would send them once more; some leave out the first or the last."""
    g = dice.g
    if len(frames) > 4 and g.random() < 0.4:
        frames = frames[1:] if g.random() < 0.5 else frames[:-1]
    if how == "same bytes":
        return frames
    quality, s, gain = int(g.uniform(35, 95)), g.uniform(0.6, 0.95), g.uniform(0.88, 1.12)
    dx, dy = g.integers(2, 24, 2)
    out = []
    for data in frames:
        img = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        if how == "scaled":
            img = cv2.resize(img, None, fx=s, fy=s, interpolation=cv2.INTER_AREA)
        elif how == "cropped":
            img = img[dy:, dx:]
        elif how == "brightened":
            img = np.clip(img.astype(np.float32) * gain + g.uniform(-6, 6), 0, 255).astype(np.uint8)
        out.append(cv2.imencode(".jpg", img, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes())
    return out


class Set:
    """One split on its way to disk."""

    def __init__(self, out: str, split: str, seed: int) -> None:
        self.out, self.split, self.seed = f"{out}/{split}", split, seed
        dice = Dice(seed, split, "household")
        self.cameras: list[Camera] = cameras(split)
        self.fleet: dict[str, list[Vehicle]] = vehicles(split, dice.g)
        self.household: list[Listed] = listed(split, LISTED, dice.r, dice.g, self.fleet)
        self.rows: list[dict[str, str]] = []
        os.makedirs(self.out, exist_ok=True)

    def keep(self, frames: list[bytes], times: list[float], **row: str) -> dict[str, str]:
        folder = f"{self.out}/{row['folder']}"
        os.makedirs(folder, exist_ok=True)
        for k, data in enumerate(frames):
            with open(f"{folder}/{k}.jpg.part", "wb") as f:
                f.write(data)
            os.replace(f"{folder}/{k}.jpg.part", f"{folder}/{k}.jpg")
        return self.row(times[:len(frames)], **row)

    def row(self, times: list[float], **row: str) -> dict[str, str]:
        return {**{c: "" for c in COLUMNS}, **row, "times": " ".join(str(round(1000 * t)) for t in times)}

    def genuine(self, name: str, i: int) -> dict[str, str]:
        """One accepted pass or genuine approach; frames that are there already stay."""
        dice = Dice(self.seed, self.split, name, i)
        one, camera, light, times = self.household[i * 11 % LISTED], self.cameras[i % len(self.cameras)], dice.light(), dice.times(4 if name == "learning" else 8)
        motion = str(dice.g.choice(["driving", "stopping", "waiting"], p=[0.76, 0.2, 0.04]))
        about = {"folder": f"{name}-{i:03d}", "class": name, "kind": one.vehicle.kind, "light": light, "motion": motion, "place": "lane", "shows": "vehicle",
                 "plate": one.text, "camera": camera.name}
        if os.path.exists(f"{self.out}/{about['folder']}/{len(times) - 1}.jpg"):
            return self.row(times, **about)
        return self.keep(genuine(dice.g, Shot(dice.g, camera, light), one, self.fleet["car"], motion, times), times, **about)

    def attack(self, i: int, kind: str) -> dict[str, str]:
        """One attack; replays are made when what they repeat is there."""
        dice = Dice(self.seed, self.split, "attack", i)
        row = {"folder": f"attack-{i:03d}-{kind}", "class": "attack", "kind": kind}
        one, camera, light, times = self.household[i * 13 % LISTED], self.cameras[i % len(self.cameras)], dice.light(), dice.times()
        shot = Shot(dice.g, camera, light)
        if kind == "mounted":
            motion, in_lane = str(dice.g.choice(["driving", "stopping"])), True
            frames, shows = mounted(dice.g, dice.r, shot, one, self.fleet, motion, times)
        else:
            motion, in_lane = MOTIONS[i % len(MOTIONS)], i // len(MOTIONS) % 2 == 0
            frames, shows = attack(dice.g, dice.r, shot, one, self.fleet, kind, motion, in_lane, times)
        return self.keep(frames, times, **row, light=light, motion=motion, place="lane" if in_lane else "anywhere", shows=shows, plate=one.text,
                         camera=camera.name)

    def replay(self, i: int, count: int, of: dict[str, str]) -> dict[str, str]:
        dice, how = Dice(self.seed, self.split, "attack", i), REPLAYS[count % len(REPLAYS)]
        times = [float(t) / 1000 for t in of["times"].split()]
        frames = [open(f"{self.out}/{of['folder']}/{k}.jpg", "rb").read() for k in range(len(times))]
        return self.keep(replayed(dice, frames, how), times, folder=f"attack-{i:03d}-replay", **{"class": "attack"}, kind="replay", light=of["light"],
                         motion="replayed", place="lane", shows=how, plate=of["plate"], camera=of["camera"], of=of["folder"])

    def render(self, genuine: int, attacks: int, learning: int, jobs: int) -> None:
        kinds = quotas(attacks)
        work = [("genuine", i) for i in range(genuine)] + [(kind, i) for i, kind in enumerate(kinds) if kind != "replay"]
        work += [("learning", i) for i in range(learning * len(self.cameras))]
        global MADE
        MADE = self
        with multiprocessing.Pool(jobs) as pool:  # a fork: the household need not be made again
            for row in pool.imap(made_of, work):
                self.rows.append(row)
                if len(self.rows) % 10 == 0:  # what is there can be read while the rest is rendered
                    self.write()
        originals = [x for x in self.rows if x["class"] == "genuine"]
        replays = [i for i, kind in enumerate(kinds) if kind == "replay"]
        self.rows += [self.replay(i, n, originals[n * 17 % len(originals)]) for n, i in enumerate(replays)]
        self.write()

    def surroundings(self, i: int) -> tuple[list[np.ndarray], str]:
        """The surroundings of a plate on a vehicle or, in turns, on a medium, in two frames of a burst."""
        dice = Dice(self.seed, self.split, "surroundings", i)
        one, camera, light = self.household[i // 2 * 11 % LISTED], self.cameras[i // 2 % len(self.cameras)], dice.light()
        shot, times = Shot(dice.g, camera, light), [0.0, float(dice.g.uniform(0.2, 1.5))]
        if i % 2 == 0:
            kind, motion = one.vehicle.kind, str(dice.g.choice(["driving", "stopping", "waiting"]))
            shows, frames = "vehicle", genuine(dice.g, shot, one, self.fleet["car"], motion, times, close=True)
        else:
            kind, motion = MEDIA[i // 2 % len(MEDIA)], MOTIONS[i // 2 // len(MEDIA) % len(MOTIONS)]
            frames, shows = attack(dice.g, dice.r, shot, one, self.fleet, kind, motion, bool(dice.g.random() < 0.5), times, close=True)
        return frames, f"{kind},{light},{motion},{shows},{photograph_of(one.vehicle.name)}"

    def track(self, name: str, i: int) -> dict:
        """Where the plate stands in every frame of a burst that is not drawn."""
        dice = Dice(self.seed, self.split, name, i)
        one, camera = self.household[i * (13 if name == "attack" else 11) % LISTED], self.cameras[i % len(self.cameras)]
        light, times = dice.light(), dice.times()
        about = {"folder": f"{name}-{i:03d}", "class": name, "camera": camera.name, "light": light}
        if name == "genuine":
            motion = str(dice.g.choice(["driving", "stopping", "waiting"], p=[0.76, 0.2, 0.04]))
            quads = genuine(dice.g, Blind(dice.g, camera, light), one, self.fleet["car"], motion, times, close=True)
            return {**about, "kind": one.vehicle.kind, "motion": motion, "place": "lane", "corners": [q.tolist() for q in quads]}
        kind, motion, in_lane = self.kinds[i], MOTIONS[i % len(MOTIONS)], i // len(MOTIONS) % 2 == 0
        quads, shows = attack(dice.g, dice.r, Blind(dice.g, camera, light), one, self.fleet, kind, motion, in_lane, times, close=True)
        return {**about, "kind": kind, "motion": motion, "place": "lane" if in_lane else "anywhere", "shows": shows, "corners": [q.tolist() for q in quads]}

    def render_tracks(self, genuine: int, attacks: int, jobs: int) -> None:
        """What the models of movement and place are fitted on: scripts/presented/fit.mjs."""
        global MADE
        MADE, self.kinds = self, quotas(attacks)
        work = [("genuine", i) for i in range(genuine)] + [("attack", i) for i, kind in enumerate(self.kinds) if kind in MEDIA]
        with multiprocessing.Pool(jobs) as pool, open(f"{self.out}/tracks-{self.seed}.jsonl", "w", encoding="utf8") as f:
            for row in pool.imap_unordered(track_of, work):
                f.write(json.dumps(row) + "\n")
                f.flush()

    def render_surroundings(self, count: int, jobs: int) -> None:
        """What a network learns from: models/training/train_presented.py."""
        global MADE
        MADE = self
        shown, about = [], []
        with multiprocessing.Pool(jobs) as pool:
            for frames, words in pool.imap(surroundings_of, range(count)):
                shown += frames
                about += [words] * len(frames)
                if len(shown) % 200 == 0 or len(shown) == 2 * count:
                    np.savez_compressed(f"{self.out}/surroundings-{self.seed}.npz", shown=np.stack(shown), about=np.array(about))

    def write(self) -> None:
        with open(f"{self.out}/manifest.csv", "w", encoding="utf8", newline="\n") as f:
            w = csv.DictWriter(f, COLUMNS, lineterminator="\n")
            w.writeheader()
            w.writerows(self.rows)
        for name, values in (("plates", {x["plate"] for x in self.rows}), ("backgrounds", {x["camera"] for x in self.rows})):
            with open(f"{self.out}/{name}.txt", "w", encoding="utf8") as f:
                f.write("\n".join(sorted(values)) + "\n")


MADE: Set | None = None  # the set whose bursts this process renders


def made_of(work: tuple[str, int]) -> dict[str, str]:
    assert MADE is not None
    name, i = work
    return MADE.genuine(name, i) if name in ("genuine", "learning") else MADE.attack(i, name)


def track_of(work: tuple[str, int]) -> dict:
    assert MADE is not None
    return MADE.track(*work)


def surroundings_of(i: int) -> tuple[list[np.ndarray], str]:
    assert MADE is not None
    return MADE.surroundings(i)


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("out")
    p.add_argument("--split", choices=("test", "train"), default="test")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--attacks", type=int, default=200)
    p.add_argument("--genuine", type=int, default=200)
    p.add_argument("--learning", type=int, default=50, help="accepted passes of every camera from which it learns its lane")
    p.add_argument("--jobs", type=int, default=1, help="processes that render")
    p.add_argument("--tracks", action="store_true", help="instead of bursts, where their plates stand, for the models of movement and place")
    p.add_argument("--surroundings", type=int, default=0, help="instead of bursts, surroundings of plates for the network to learn from")
    a = p.parse_args()
    cv2.setNumThreads(1)
    made = Set(a.out, a.split, a.seed)
    if a.tracks:
        made.render_tracks(a.genuine, a.attacks, a.jobs)
        return
    if a.surroundings > 0:
        made.render_surroundings(a.surroundings, a.jobs)
        return
    made.render(a.genuine, a.attacks, a.learning, a.jobs)
    print(f"{len(made.rows)} bursts in {made.out}")


if __name__ == "__main__":
    main()
