/**
 * A gate that asks, and what goes wrong around the answer: it comes late, from a phone that was signed out, for one of
 * two cars, after a power cut; a vehicle that is inside comes in again. A whole hub, a gate over MQTT, phones and apps.
 */
import t from "tap";
import { answerAs, askingHub, signInAs } from "../support/gate-questions.ts";
import { PacedClock } from "../support/paced-clock.ts";

t.setTimeout(240_000);
const [PLATE, OTHER, THIRD] = ["MH12AB1234", "KA01CD5678", "DL8CAF5031"] as const;

/** A hub whose time can be made to pass, and what its reads and questions say. */
async function premises(t: Parameters<typeof askingHub>[0], earns: "open" | "confirm" = "confirm") {
  const clock = new PacedClock();
  const p = await askingHub(t, earns, clock);
  const owner = { Cookie: p.cookie };
  const waiting = async (): Promise<{ id: string; plate: string; askedFor: string }[]> =>
    (await p.v1.get("/v1/gate-questions", { headers: owner })).body.questions;
  const reasonOf = async (readId: number): Promise<string | undefined> =>
    ((await p.call("GET", `/api/plates/${readId}`)).body as { plate?: { gate: { reason?: string } } }).plate?.gate
      .reason;
  const becomes = async (isSo: () => Promise<boolean>): Promise<void> => {
    for (let tries = 0; tries < 500 && !(await isSo()); tries++)
      await new Promise((resolve) => setTimeout(resolve, 20));
  };
  /** Waits of the hub end, and its wall clock goes along. */
  const passes = async (ms: number): Promise<void> => {
    const until = clock.mono() + ms;
    clock.pace = 200;
    while (clock.mono() < until) await new Promise((resolve) => setTimeout(resolve, 5));
    clock.pace = 1;
    clock.aheadMs += ms;
  };
  return { p, owner, waiting, reasonOf, becomes, passes };
}

t.test("a tap that comes after the minute opens nothing", async (t) => {
  const { p, waiting, reasonOf, becomes, passes } = await premises(t);
  const member = await signInAs(p, "member");
  const [question] = await p.arrives(PLATE);
  await passes(61_000);
  const late = await answerAs(p.v1, member.headers, question?.id ?? "");
  t.match([late.status, late.body], [409, { error: { code: "conflict" } }]);
  t.same(await waiting(), []);
  await becomes(async () => (await reasonOf(question?.readId ?? 0)) === "unanswered");
  t.equal(await reasonOf(question?.readId ?? 0), "unanswered");
  t.same(p.opened(), []);
});

t.test("a phone that is signed out while the question waits", async (t) => {
  const p = await askingHub(t);
  const member = await signInAs(p, "member");
  const [question] = await p.arrives(PLATE);
  const path = `/api/persons/${member.id}/sessions`;
  const { sessions } = (await p.call("GET", path)).body as { sessions: { id: number }[] };
  for (const { id } of sessions) t.equal((await p.call("DELETE", `${path}/${id}`)).status, 200);
  t.equal((await answerAs(p.v1, member.headers, question?.id ?? "")).status, 401);
  t.same(p.opened(), []);
  t.equal((await answerAs(p.v1, { Cookie: p.cookie }, question?.id ?? "")).status, 200, "another phone may");
  await p.until(() => p.opened().length === 1);
});

t.test("two cars at once: an answer is for one of them, and the next car ends what waits", async (t) => {
  const { p, owner, waiting, reasonOf, becomes } = await premises(t);
  const asked = await p.arrives(PLATE, OTHER);
  t.same(asked.map(({ plate }) => plate).sort(), [OTHER, PLATE].sort());
  const [first, second] = [PLATE, OTHER].map((plate) => asked.find((one) => one.plate === plate));
  t.equal((await answerAs(p.v1, owner, second?.id ?? "")).status, 200);
  await p.until(() => p.opened().length === 1);
  t.match(await waiting(), [{ id: first?.id }], "the answer for the other one is none for this one");
  await p.arrives(THIRD);
  t.equal((await answerAs(p.v1, owner, first?.id ?? "")).status, 409);
  await becomes(async () => (await reasonOf(first?.readId ?? 0)) === "next_vehicle");
  t.equal(await reasonOf(first?.readId ?? 0), "next_vehicle");
  t.match(await waiting(), [{ plate: THIRD }]);
  t.equal(p.opened().length, 1);
});

t.test("a second entry without an exit is asked about, or refused", async (t) => {
  const { p, waiting, passes } = await premises(t, "open");
  const { choices } = (await p.call("GET", "/api/gate-choices")).body as { choices: object };
  const choose = async (whenInside: string) =>
    t.equal((await p.call("PUT", "/api/gate-choices", { ...choices, whenInside })).status, 200);
  await choose("refuse");
  await p.arrives(PLATE);
  await p.until(() => p.opened().length === 1);
  await passes(120_000);
  t.same(await p.arrives(PLATE), []);
  t.equal(p.opened().length, 1, "refused");
  await choose("ask");
  await passes(120_000);
  t.match(await p.arrives(PLATE), [{ plate: PLATE }]);
  t.match(await waiting(), [{ askedFor: "already_inside" }]);
  t.equal(p.opened().length, 1, "asked about");
  t.equal((await p.call("POST", `/api/vehicles/${PLATE}/left`)).status, 200);
  await passes(120_000);
  await p.arrives(PLATE);
  await p.until(() => p.opened().length === 2);
  t.pass("a person knows that it had left");
});
