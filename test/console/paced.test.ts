/** How often an open page asks again while the house sends messages. */
import { mock } from "node:test";
import t from "tap";
import { paced } from "../../src/console/paced.ts";

t.beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
t.afterEach(() => mock.timers.reset());

function counted(soonMs?: number) {
  const asked = { times: 0 };
  const again = paced(async () => void asked.times++, soonMs);
  return { asked, again };
}

t.test("one message alone is followed by one request, almost at once", async (t) => {
  const { asked, again } = counted();
  again();
  mock.timers.tick(150);
  t.equal(asked.times, 1);
  mock.timers.tick(60_000);
  t.equal(asked.times, 1);
});

t.test("messages that never end are followed by one request in five seconds", async (t) => {
  const { asked, again } = counted();
  for (let second = 0; second < 60; second++)
    for (let message = 0; message < 10; message++) {
      again();
      mock.timers.tick(100);
    }
  t.ok(asked.times <= 60 / 5 + 5, `${asked.times} requests for 600 messages`);
  t.ok(asked.times >= 60 / 5, "and what they say is shown");
});

t.test("what comes while the hub answers is asked for again", async (t) => {
  const { asked, again } = counted();
  again();
  mock.timers.tick(150);
  again();
  again();
  mock.timers.tick(300);
  t.equal(asked.times, 2);
});

t.test("after a quiet time a message is followed at once again", async (t) => {
  const { asked, again } = counted(1_000);
  for (let message = 0; message < 5; message++) {
    again();
    mock.timers.tick(5_000);
  }
  const before = asked.times;
  mock.timers.tick(5_000);
  again();
  mock.timers.tick(999);
  t.equal(asked.times, before);
  mock.timers.tick(1);
  t.equal(asked.times, before + 1);
});

t.test("a request that failed is sent again with the next message", async (t) => {
  let times = 0;
  const again = paced(async () => {
    times++;
    throw new Error("the hub is away");
  });
  again();
  mock.timers.tick(150);
  again();
  mock.timers.tick(300);
  t.equal(times, 2);
});
