import t from "tap";
import { Countries } from "../../src/core/plates/countries.ts";
import { OpenBurst } from "../../src/features/recognition/open-burst.ts";
import { sighting } from "../support/sighting.ts";

const NO_TIME = { decodeMs: 0, detectMs: 0, readMs: 0, totalMs: 0 };

/** Reads every frame of a burst of twelve; answers how each was looked at. */
function looksAt(seen: (frame: number) => ReturnType<typeof sighting>[]): { tiles: boolean; again: boolean }[] {
  const burst = new OpenBurst(60_000, Countries.all);
  for (let index = 0; index < 12; index++) burst.add(index, new Uint8Array());
  const looks: { tiles: boolean; again: boolean }[] = [];
  for (let next = burst.next(); next !== null; next = burst.next()) {
    looks.push(next.look);
    burst.note(
      next.frame,
      { id: 1, kind: "frame", sightings: seen(next.frame.index), timings: NO_TIME, version: "", endedAt: 0 },
      0,
    );
    burst.settle(1);
  }
  return looks;
}

t.test("at most two frames of a burst are searched in tiles, and none after a plate was read", async (t) => {
  t.equal(looksAt(() => []).filter(({ tiles }) => tiles).length, 2);
  t.equal(
    looksAt((frame) => [sighting(frame, "EXIT")]).filter(({ tiles }) => tiles).length,
    2,
    "something is seen, nothing recognised",
  );
  t.equal(looksAt((frame) => [sighting(frame, "MH12AB1234")]).filter(({ tiles }) => tiles).length, 1, "only the first");
});

t.test("at most four frames of a burst are looked at from several sides", async (t) => {
  const doubtful = (frame: number) => {
    const one = sighting(frame, "MH12AB1234");
    return [{ ...one, views: [...one.views, ...one.views, ...one.views] }];
  };
  t.equal(looksAt(doubtful).filter(({ again }) => again).length, 4);
  t.equal(
    looksAt((frame) => [sighting(frame, "MH12AB1234")]).filter(({ again }) => again).length,
    12,
    "certain plates cost nothing of it",
  );
});
