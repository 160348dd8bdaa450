import t from "tap";
import { Problem } from "../../src/kernel/problem.js";
import { MatterPin } from "../../src/matter/bridge/pin.js";
import { FakeClock } from "../support/fake-clock.js";

const MINUTE = 60_000;

function code(work: () => void): string {
  try {
    work();
    return "ok";
  } catch (error) {
    return error instanceof Problem ? `${error.code} ${error.message}` : String(error);
  }
}

t.test(
  "a PIN is of digits, not the first that anybody guesses, and stored with a key that is not in the database",
  async (t) => {
    const clock = new FakeClock();
    const pin = new MatterPin({ key: Buffer.alloc(32, 1), clock });
    for (const bad of ["", "123", "123456789", "12a4", "0000", "1234", "4321", "１２３５"])
      t.match(
        code(() => void pin.hash(1, bad)),
        /^invalid_body/,
        bad,
      );
    for (const good of ["4827", "1357", "00000001"]) t.match(pin.hash(1, good), /^[\da-f]{64}$/);
    t.not(pin.hash(1, "4827"), pin.hash(2, "4827"), "another household's is another");
    t.not(pin.hash(1, "4827"), new MatterPin({ key: Buffer.alloc(32, 2), clock }).hash(1, "4827"));
  },
);

t.test("guesses end: five wrong ones, then none for five minutes, then for twice as long each time", async (t) => {
  const clock = new FakeClock();
  const pin = new MatterPin({ key: Buffer.alloc(32, 1), clock });
  const stored = pin.hash(1, "4827");
  const guess = (text: string | null): string => code(() => pin.check(1, stored, text, "matter:1"));
  t.match(guess(null), /needs the PIN/);
  t.match(guess(""), /needs the PIN/);
  for (let pause = 5; pause <= 20; pause *= 2) {
    for (let n = 0; n < 5; n++) t.match(guess("1111"), /is wrong/);
    t.match(guess("4827"), /Too many/, "the right one is not looked at either");
    clock.advance(pause * MINUTE - 1);
    t.match(guess("4827"), /Too many/, `not within ${pause} minutes`);
    clock.advance(1);
  }
  t.equal(guess("4827"), "ok");
  for (let n = 0; n < 4; n++) t.match(guess("1111"), /is wrong/);
  t.equal(guess("4827"), "ok", "a right one in between forgives");
  // Ten thousand PINs by brute force: how many guesses a year allows.
  let tries = 0;
  for (const end = clock.mono() + 365 * 24 * 60 * MINUTE; clock.mono() < end; clock.advance(5 * MINUTE))
    while (/is wrong/.test(guess("1111"))) tries += 1;
  t.ok(tries < 2_000, `${tries} guesses a year`);
});

t.test("a home that guesses keeps only itself out, until all have guessed twenty times", async (t) => {
  const clock = new FakeClock();
  const pin = new MatterPin({ key: Buffer.alloc(32, 1), clock });
  const stored = pin.hash(1, "4827");
  const guess = (text: string, home: string): string => code(() => pin.check(1, stored, text, home));
  for (let n = 0; n < 5; n++) t.match(guess("1111", "matter:1"), /is wrong/);
  t.match(guess("4827", "matter:1"), /Too many/);
  t.equal(guess("4827", "matter:2"), "ok", "the others open");
  for (const home of ["matter:2", "matter:3", "matter:4"])
    for (let n = 0; n < 5; n++) t.match(guess("1111", home), /is wrong/);
  t.match(guess("4827", "matter:5"), /Too many/, "homes that guess together keep everybody out");
  clock.advance(5 * MINUTE);
  t.equal(guess("4827", "matter:5"), "ok");
});
