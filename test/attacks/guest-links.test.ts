/**
 * Attacks on guest pass links: guesses, other people's plates, members who try to give passes, odd input, a pass
 * revoked meanwhile.
 */
import t from "tap";
import { HouseholdProcess } from "../support/household-process.ts";

t.setTimeout(60_000);
const house = await HouseholdProcess.start(t);
// biome-ignore lint/suspicious/noExplicitAny: answers of several shapes
type Answer = { status: number; body: any };
const post = async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
  const response = await fetch(house.hub.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
};
const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
const give = (more: object = {}): Promise<Answer> =>
  house.owner.call("POST", "/api/passes", { label: "Ravi", validTo: tomorrow, ...more });

t.test("a link authenticates nothing else, and shows only its own pass", async (t) => {
  const { body } = await give();
  const { token } = body;
  for (const path of ["/v1/plates", "/v1/plate-rules", "/api/passes", "/api/openings", "/v1/me"]) {
    const asked = await fetch(house.hub.url + path, {
      headers: { authorization: `Bearer ${token}`, cookie: `session=${token}` },
    });
    t.equal(asked.status, 401, path);
  }
  const seen = await post("/api/guest/look", { token });
  t.equal(seen.status, 200);
  t.notMatch(JSON.stringify(seen.body), /ruleId|deviceId|createdAt|token|session/);
});

t.test("members and unauthenticated clients can neither give, see nor revoke passes", async (t) => {
  const { person: member } = await house.join("member");
  const { body } = await give();
  for (const [method, path] of [
    ["GET", "/api/passes"],
    ["POST", "/api/passes"],
    ["POST", `/api/passes/${body.pass.id}/link`],
    ["DELETE", `/api/passes/${body.pass.id}`],
  ] as const) {
    const asked = await member.call(method, path, method === "POST" ? { label: "x", validTo: tomorrow } : undefined);
    t.equal(asked.status, 403, `${method} ${path}`);
    t.equal((await fetch(house.hub.url + path, { method })).status, 401, `${method} ${path}`);
  }
});

t.test("simultaneous requests with one link change the plate three times at most", async (t) => {
  const { body } = await give();
  const plates = ["KA01MJ1001", "KA01MJ1002", "KA01MJ1003", "KA01MJ1004", "KA01MJ1005"];
  const answers = await Promise.all(plates.map((plate) => post("/api/guest/plate", { token: body.token, plate })));
  t.ok(answers.filter(({ status }) => status === 200).length <= 3, answers.map(({ status }) => status).join());
  const { rules } = (await house.owner.call<{ rules: { label: string; plate: string }[] }>("GET", "/v1/plate-rules"))
    .body;
  t.ok(rules.filter(({ plate }) => plates.includes(plate)).length <= 1, "one pass has one plate");
});

t.test("odd tokens and plates are refused in the common error shape, at no cost", async (t) => {
  const { body } = await give();
  for (const token of [
    "",
    "x",
    `${body.token}x`,
    "x".repeat(100_000),
    null,
    { a: 1 },
    ["x".repeat(43)],
    "'; DROP TABLE guest_pass; --",
  ])
    t.match(await post("/api/guest/look", { token }), {
      status: token === "x".repeat(100_000) ? 413 : 400,
      body: { error: { code: /./ } },
    });
  t.equal((await post("/api/guest/plate", { token: body.token, plate: "\u0000MH12" })).status, 400);
  t.equal((await post("/api/guest/plate", { token: body.token, plate: "x".repeat(33) })).status, 400);
  const { passes } = (await house.owner.call<{ passes: { id: number; triesLeft: number }[] }>("GET", "/api/passes"))
    .body;
  t.equal(passes.find(({ id }) => id === body.pass.id)?.triesLeft, 3);
});

t.test("a plate that is on a list for other cameras is not a guest's to tell, either", async (t) => {
  await house.device("side", "camera");
  const listed = { plate: "KA01MJ2001", label: "Gardener", earns: "ask" };
  t.equal((await house.owner.call("POST", "/v1/plate-rules", listed)).status, 201);
  const { status, body } = await give({ deviceId: "side" });
  t.equal(status, 201);
  const told = await post("/api/guest/plate", { token: body.token, plate: listed.plate });
  t.match(told, { status: 409, body: { error: { words: { code: "conflict.passPlateRefused" } } } });
  const { rules } = (await house.owner.call<{ rules: { plate: string }[] }>("GET", "/v1/plate-rules")).body;
  t.equal(rules.filter(({ plate }) => plate === listed.plate).length, 1);
});

t.test("guesses are slowed down", async (t) => {
  const statuses: number[] = [];
  for (let i = 0; i < 25; i++)
    statuses.push((await post("/api/guest/look", { token: String(i).padStart(43, "A") })).status);
  t.ok(statuses.includes(429), statuses.join());
  t.notOk(statuses.includes(200));
});
