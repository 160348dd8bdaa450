/** A gatekeeper has the hub look at the longest lists, over and over, while the gate is to open. */
import t from "tap";
import { HouseholdProcess } from "../support/household-process.ts";

t.setTimeout(120_000);
const PATH = "/api/plate-rules/import";
const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ";
const rules = Array.from({ length: 2_000 }, (_, at) => ({
  plate: `MH${10 + (at % 80)}${LETTERS[Math.floor(at / 80) % 24]}A${1_000 + at}`,
  kind: "allow",
  label: "x".repeat(60),
}));

/** What ends within this time after something was sent cannot be said to have been waited for. */
const MOMENT_MS = 400;

t.test("the gate opens and the owner is served while lists are looked at and added", async (t) => {
  const house = await HouseholdProcess.start(t);
  const { owner } = house;
  const password = await house.device("gate1", "gate");
  const gate = await house.connect(t, "gate1", password);
  await gate.subscribeAsync("gatehouse/gate1/command", { qos: 1 });
  const { person } = await house.join("gatekeeper");
  /** In the order in which they came back. */
  const order: string[] = [];
  const opened = () => new Promise<void>((resolve) => gate.once("message", () => resolve()));
  for (const rehearsal of [true, false]) {
    order.length = 0;
    const lists = Array.from({ length: 10 }, () =>
      person.call<{ added: number; refused: unknown[]; error: { words?: object } }>("POST", PATH, { rules, rehearsal }),
    );
    const first = Promise.race(lists.map(async (one) => ((await one).status === 429 ? new Promise(() => {}) : one)));
    const refusal = await Promise.race(
      lists.map(async (one) => ((await one).status === 429 ? one : new Promise(() => {}))),
    );
    t.match(refusal, { body: { error: { code: "rate_limited", retryAfterSeconds: 5 } } }, "its list is under way now");
    const moved = opened();
    const sent = performance.now();
    let leftMs = Number.POSITIVE_INFINITY;
    await Promise.all([
      first.then(() => {
        order.push("list");
        leftMs = performance.now() - sent;
      }),
      (async () => {
        for (let n = 0; n < 3; n++) {
          await owner.call("POST", "/v1/plate-rules", { plate: `KA05MN331${n + (rehearsal ? 0 : 5)}`, kind: "deny" });
          order.push("rule");
        }
      })(),
      owner.call("POST", "/v1/devices/gate1/commands", { open: true }),
      moved.then(() => order.push("gate")),
    ]);
    // a list that was almost through by then tells nothing
    t.ok(order.at(-1) === "list" || leftMs < MOMENT_MS, `${order.join(", ")}: nothing waited for the first list`);
    const answers = await Promise.all(lists);
    const statuses = answers.map(({ status }) => status).sort();
    t.same(statuses.slice(0, 3), [200, 200, 200]);
    t.ok(statuses.at(-1) === 429, "a person has three at most");
    const counts = answers.filter(({ status }) => status === 200).map(({ body }) => [body.added, body.refused.length]);
    t.same(
      counts[0]?.reduce((sum, one) => (sum ?? 0) + (one ?? 0), 0),
      2_000,
    );
  }
  const { body } = await owner.call<{ rules: unknown[] }>("GET", "/v1/plate-rules");
  t.equal(body.rules.length, 2_006, "each is there once");
});
