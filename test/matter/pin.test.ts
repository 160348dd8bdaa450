import t from "tap";
import { Problem } from "../../src/core/kernel/problem.ts";
import { type GuessStore, MatterPin } from "../../src/features/matter/bridge/pin.ts";
import { StoredGuesses } from "../../src/features/matter/bridge/stored-guesses.ts";
import { MatterTables } from "../../src/features/matter/tables/matter.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

const MINUTE = 60_000;

/** The PIN of a hub on this store; without one it begins with nothing. */
function pinOf(clock: FakeClock, store: GuessStore = { read: () => ({}), write: () => {} }, key = 1): MatterPin {
  return new MatterPin({ key: Buffer.alloc(32, key), clock, store });
}

function code(work: () => void): string {
  try {
    work();
    return "ok";
  } catch (error) {
    return error instanceof Problem ? `${error.code} ${error.message}` : String(error);
  }
}

t.test("a PIN has digits, is not an obvious one, and is stored with a key outside the database", async (t) => {
  const clock = new FakeClock();
  const pin = pinOf(clock);
  for (const bad of ["", "123", "123456789", "12a4", "0000", "1234", "4321", "１２３５"])
    t.match(
      code(() => void pin.hash(1, bad)),
      /^invalid_body/,
      bad,
    );
  for (const good of ["4827", "1357", "00000001"]) t.match(pin.hash(1, good), /^[\da-f]{64}$/);
  t.not(pin.hash(1, "4827"), pin.hash(2, "4827"), "another household's is different");
  t.not(pin.hash(1, "4827"), pinOf(clock, undefined, 2).hash(1, "4827"));
});

t.test(
  "guesses are limited: five wrong ones, then none for five minutes, then for twice as long each time",
  async (t) => {
    const clock = new FakeClock();
    const pin = pinOf(clock);
    const stored = pin.hash(1, "4827");
    const guess = (text: string | null): string => code(() => pin.check(1, stored, text, "matter:1"));
    t.match(guess(null), /needs the PIN/);
    t.match(guess(""), /needs the PIN/);
    for (let pause = 5; pause <= 20; pause *= 2) {
      for (let n = 0; n < 5; n++) t.match(guess("1111"), /is wrong/);
      t.match(guess("4827"), /Too many/, "the right one is not checked either");
      clock.advance(pause * MINUTE - 1);
      t.match(guess("4827"), /Too many/, `not within ${pause} minutes`);
      clock.advance(1);
    }
    t.equal(guess("4827"), "ok");
    for (let n = 0; n < 4; n++) t.match(guess("1111"), /is wrong/);
    t.equal(guess("4827"), "ok", "a right one in between resets the count");
    // Ten thousand PINs by brute force: the number of guesses allowed in a year.
    let tries = 0;
    for (const end = clock.mono() + 365 * 24 * 60 * MINUTE; clock.mono() < end; clock.advance(5 * MINUTE))
      while (/is wrong/.test(guess("1111"))) tries += 1;
    t.ok(tries < 2_000, `${tries} guesses a year`);
  },
);

t.test("a guessing home locks only itself out, until all together have guessed twenty times", async (t) => {
  const clock = new FakeClock();
  const pin = pinOf(clock);
  const stored = pin.hash(1, "4827");
  const guess = (text: string, home: string): string => code(() => pin.check(1, stored, text, home));
  for (let n = 0; n < 5; n++) t.match(guess("1111", "matter:1"), /is wrong/);
  t.match(guess("4827", "matter:1"), /Too many/);
  t.equal(guess("4827", "matter:2"), "ok", "the others open");
  for (const home of ["matter:2", "matter:3", "matter:4"])
    for (let n = 0; n < 5; n++) t.match(guess("1111", home), /is wrong/);
  t.match(guess("4827", "matter:5"), /Too many/, "homes that guess together lock everyone out");
  clock.advance(5 * MINUTE);
  t.equal(guess("4827", "matter:5"), "ok");
});

t.test("a restart does not reset the count, and a clock change makes no pause longer", async (t) => {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const { siteId } = seedAccount(database);
  const tables = new MatterTables(database);
  const clock = new FakeClock();
  const stored = pinOf(clock).hash(siteId, "4827");
  await database.write(() => tables.setPin(siteId, stored, clock.now()));
  const restarted = (): ((text: string, home?: string) => string) => {
    const pin = pinOf(clock, new StoredGuesses(database, tables));
    return (text, home = "matter:1") => code(() => pin.check(siteId, stored, text, home));
  };
  let guess = restarted();
  for (let n = 0; n < 3; n++) t.match(guess("1111"), /is wrong/);
  await database.write(() => {}); // previous writes are there
  guess = restarted();
  for (let n = 0; n < 2; n++) t.match(guess("1111"), /is wrong/);
  await database.write(() => {}); // previous writes are there
  guess = restarted();
  t.match(guess("4827"), /Too many/, "the pause continues");
  t.equal(guess("4827", "matter:2"), "ok", "of this home alone");
  clock.advance(5 * MINUTE);
  for (let n = 0; n < 5; n++) t.match(guess("1111"), /is wrong/);
  await database.write(() => {}); // previous writes are there
  clock.jump(-365 * 24 * 60 * MINUTE);
  guess = restarted();
  clock.advance(10 * MINUTE - 1);
  t.match(guess("4827"), /Too many/, "the second pause is twice as long");
  clock.advance(1);
  t.equal(guess("4827"), "ok", "although the clock shows a year earlier");
  await database.write(() => {}); // previous writes are there
  guess = restarted();
  for (let n = 0; n < 4; n++) t.match(guess("1111"), /is wrong/, "a right one is remembered too");
  t.equal(guess("4827"), "ok");
});
