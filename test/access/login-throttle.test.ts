import t from "tap";
import { Problem } from "../../src/core/kernel/problem.ts";
import { type Guesser, LoginThrottle } from "../../src/features/access/login-throttle.ts";
import { FakeClock } from "../support/fake-clock.ts";

const HOME: Guesser = { address: "192.168.1.5", device: null };

function throttle() {
  const clock = new FakeClock();
  const guard = new LoginThrottle(clock);
  /** Seconds to wait; 0: the try was allowed, and made. */
  const tries = (who: Guesser, account = "asha", outcome: "failed" | "succeeded" | "withdrawn" = "failed"): number => {
    try {
      guard.begin(who, account)[outcome]();
      return 0;
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "rate_limited") throw error;
      t.equal(error.headers?.["Retry-After"], String(error.fields.retryAfterSeconds));
      return Number(error.fields.retryAfterSeconds);
    }
  };
  const wrong = (count: number, who = HOME, account = "asha"): number[] =>
    Array.from({ length: count }, () => tries(who, account));
  return { clock, guard, tries, wrong };
}

t.test("five tries are free, then the wait doubles with each, up to a minute", async (t) => {
  const { clock, tries, wrong } = throttle();
  t.same(wrong(6), [0, 0, 0, 0, 0, 1]);
  const waits: number[] = [];
  for (let n = 0; n < 9; n++) {
    const wait = tries(HOME);
    clock.advance(wait * 1_000 - 1);
    t.equal(tries(HOME), 1, `a millisecond before ${wait} s have passed`);
    clock.advance(1);
    t.equal(tries(HOME), 0);
    waits.push(wait);
  }
  t.same(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

t.test("the wait runs from the end of the password check", async (t) => {
  const { clock, guard, tries, wrong } = throttle();
  wrong(4);
  const slow = guard.begin(HOME, "asha");
  clock.advance(10_000);
  slow.failed();
  t.equal(tries(HOME), 1);
  clock.advance(1_000);
  t.equal(tries(HOME), 0);
});

t.test("fifteen quiet minutes reset the count", async (t) => {
  const { clock, wrong } = throttle();
  wrong(5);
  clock.advance(15 * 60_000 - 1);
  t.same(wrong(2), [0, 2], "not a millisecond earlier");
  clock.advance(15 * 60_000);
  t.same(wrong(6), [0, 0, 0, 0, 0, 1]);
});

t.test("unknown clients are counted by address and by account", async (t) => {
  const { tries, wrong } = throttle();
  wrong(5);
  t.equal(tries(HOME, "ravi"), 1, "the same address tries another account");
  t.equal(tries({ ...HOME, address: "10.0.0.9" }), 1, "another address tries the same account");
  t.equal(tries({ ...HOME, address: "10.0.0.9" }, "ravi"), 0);
});

t.test(
  "an address that signed in before is slowed only by its own tries, and a success resets only those",
  async (t) => {
    const { tries, wrong, clock } = throttle();
    const away: Guesser = { address: "10.0.0.9", device: null };
    wrong(3);
    tries(HOME, "asha", "succeeded");
    t.same(wrong(6), [0, 0, 0, 0, 0, 1], "all five are free again");
    clock.advance(16 * 60_000);
    wrong(5, away);
    t.equal(tries(HOME), 0, "another address guesses at the account");
    t.equal(tries({ address: "10.0.0.10", device: null }), 1, "other addresses are slowed");
    const other = throttle();
    other.wrong(4, HOME, "ravi");
    other.tries(HOME, "asha", "succeeded");
    t.same(other.wrong(2, HOME, "ravi"), [0, 1], "wrong tries for another account at this address still count");
  },
);

t.test("keeps the 5,000 most recently successful addresses (LRU)", async (t) => {
  const { tries, wrong } = throttle();
  const at = (n: number): Guesser => ({ address: `10.${n >> 8}.${n & 255}.1`, device: null });
  tries(HOME, "asha", "succeeded");
  for (let n = 1; n < 5_000; n++) tries(at(n), `account ${n}`, "succeeded");
  tries(HOME, "asha", "succeeded");
  tries(at(5_000), "account 5000", "succeeded");
  wrong(5, at(6_000));
  wrong(5, at(6_001), "account 1");
  t.equal(tries(HOME), 0, "it succeeded again meanwhile, and guesses from elsewhere do not slow it");
  t.equal(tries(at(1), "account 1"), 1, "the least recently successful address is slowed like any other");
});

t.test("a browser known to the account has an allowance of its own", async (t) => {
  const { tries, wrong } = throttle();
  const browser: Guesser = { ...HOME, device: "b1" };
  wrong(5);
  t.equal(tries(HOME), 1);
  t.same(wrong(6, browser), [0, 0, 0, 0, 0, 1]);
  t.equal(tries({ ...browser, device: "b2" }), 0, "another browser");
  t.equal(tries(browser, "ravi"), 0, "the same one, for another account");
  const right = throttle();
  right.wrong(4, browser);
  right.tries(browser, "asha", "succeeded");
  t.same(right.wrong(6, browser), [0, 0, 0, 0, 0, 1]);
});

t.test("a try that was not checked does not count", async (t) => {
  const { tries, wrong } = throttle();
  for (let n = 0; n < 20; n++) tries(HOME, "asha", "withdrawn");
  t.same(wrong(6), [0, 0, 0, 0, 0, 1]);
  const { guard, wrong: more } = throttle();
  const open = Array.from({ length: 5 }, () => guard.begin(HOME, "asha"));
  t.throws(() => guard.begin(HOME, "asha"), { code: /^rate_limited$/ }, "simultaneous tries count each other");
  for (const one of open) one.withdrawn();
  t.same(more(5), [0, 0, 0, 0, 0]);
});

t.test("counts wrong tries of 5,000 addresses and forgets the oldest first", async (t) => {
  const { tries, wrong } = throttle();
  const address = (n: number): Guesser => ({ address: `10.${n >> 8}.${n & 255}.1`, device: null });
  wrong(5, HOME, "account 0");
  for (let n = 1; n < 5_000; n++) tries(address(n), `account ${n}`);
  t.equal(tries(HOME, "another"), 1, "the 5,000th is kept");
  tries(address(5_000), "account 5000");
  t.equal(tries(HOME, "another"), 0, "and one more evicts the oldest");
});
