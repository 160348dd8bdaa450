import t from "tap";
import { type Job, JobRunner } from "../../src/core/jobs/jobs.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { FakeClock } from "../support/fake-clock.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));

t.test("jobs run at their period, never overlap, and a failure is shown and survived", async (t) => {
  const clock = new FakeClock();
  let runs = 0;
  let release = (): void => {};
  const slow: Job = {
    name: "slow",
    periodMs: 1000,
    atStart: false,
    run: () => {
      runs += 1;
      return new Promise<void>((resolve) => {
        release = resolve;
      });
    },
  };
  const broken: Job = {
    name: "broken",
    periodMs: 1000,
    atStart: true,
    run: () => {
      throw new Error("no such table");
    },
  };
  const runner = new JobRunner({ jobs: [slow, broken], clock, logger: silentLogger });
  await runner.start();
  for (let second = 0; second < 3; second++) {
    clock.advance(1000);
    await settle();
  }
  t.equal(runs, 1, "the first run is still going");
  t.match(runner.figures()[1], { name: /^broken$/, failures: 3, lastError: "no such table" });
  release();
  await settle();
  clock.advance(1000);
  t.equal(runs, 2);
  release();
  await runner.stop();
  clock.advance(10_000);
  t.equal(runs, 2, "nothing runs after stop");
});
