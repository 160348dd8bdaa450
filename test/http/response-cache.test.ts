import t from "tap";
import { etagOf } from "../../src/core/http/middleware/conditional.ts";
import { type ListSource, ResponseCache } from "../../src/core/http/response-cache.ts";

interface Item {
  readonly id: number;
  text: string;
}

/** A list that counts how often it is built. */
class Shelf implements ListSource<"items", Item, object> {
  readonly name = "items";
  readonly list: Item[];
  now = 1;
  built = 0;

  constructor(length: number, text = "é\u2028 of a hundred bytes, more or less".repeat(3)) {
    this.list = Array.from({ length }, (_, id) => ({ id, text }));
  }

  items = (): readonly Item[] => {
    this.built += 1;
    return [...this.list];
  };
  shown = ({ id, text }: Item): object => ({ id, text });
  version = (): number => this.now;
  whole = (): string => JSON.stringify({ items: this.list });
}

t.test(
  "a long list has the same bytes and ETag as a short one, built in slices with others served in between",
  async (t) => {
    for (const length of [0, 1, 500, 501, 5_000]) {
      const shelf = new Shelf(length);
      let scheduler = 0;
      let isDone = false;
      const count = (): void => {
        scheduler += 1;
        if (!isDone) setImmediate(count);
      };
      setImmediate(count);
      const given = new ResponseCache<"items", Item, object>().list("all", shelf);
      t.equal(given instanceof Promise, length > 500, `${length} items`);
      const { bytes, etag } = await given;
      isDone = true;
      t.equal(String(bytes), shelf.whole());
      t.equal(etag, etagOf(shelf.whole()));
      if (length === 5_000) t.ok(scheduler >= 8, `others had ${scheduler} turns`);
    }
  },
);

t.test("an unchanged list is sent again; many simultaneous requests cost one build", async (t) => {
  const shelf = new Shelf(2_000);
  const cache = new ResponseCache<"items", Item, object>();
  const answers = await Promise.all(Array.from({ length: 20 }, () => cache.list("all", shelf)));
  t.equal(new Set(answers).size, 1);
  const { built } = shelf;
  t.ok(built <= 2, "once to learn how long it is, once to build it");
  t.equal(await cache.list("all", shelf), answers[0]);
  t.equal(shelf.built, built);
});

t.test("a request after a change gets the change, even while an older list is being built", async (t) => {
  const shelf = new Shelf(5_000);
  const cache = new ResponseCache<"items", Item, object>();
  const early = cache.list("all", shelf);
  await new Promise((resolve) => setImmediate(resolve));
  (shelf.list[4_000] as Item).text = "changed";
  (shelf.list[0] as Item).text = "changed too"; // its slice has been built
  shelf.now += 1;
  const late = await cache.list("all", shelf);
  t.equal(String(late.bytes), shelf.whole());
  t.not(String((await early).bytes), shelf.whole());
  t.equal(await cache.list("all", shelf), late, "a list built before the change is not stored in its place");
});

t.test("stored lists are bounded in bytes", async (t) => {
  const cache = new ResponseCache<"items", Item, object>();
  const shelves = Array.from({ length: 4 }, () => new Shelf(600, "x".repeat(10_000))); // 6 MB each
  for (const [n, shelf] of shelves.entries()) await cache.list(String(n), shelf);
  const builds = shelves.map(({ built }) => built);
  for (const [n, shelf] of [...shelves.entries()].reverse()) await cache.list(String(n), shelf);
  t.same(
    shelves.map(({ built }, n) => built > (builds[n] ?? 0)),
    [true, true, false, false],
    "the two newest were still there",
  );
});

t.test("a failed build is reported to all its waiters, and the next one starts again", async (t) => {
  const cache = new ResponseCache<"items", Item, object>();
  const broken = new Shelf(1_000);
  broken.shown = () => {
    throw new Error("broken");
  };
  await t.rejects(Promise.resolve(cache.list("broken", broken)), { message: "broken" });
  const sound = new Shelf(1_000);
  t.equal(String((await cache.list("sound", sound)).bytes), sound.whole());
});
