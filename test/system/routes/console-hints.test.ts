import t from "tap";
import { startConsoleHub } from "../../support/console-hub.ts";

t.test("an owner is suggested what is left to do, until it is done or put away", async (t) => {
  const { call, hub } = await startConsoleHub(t);
  const hints = async () => (await call("GET", "/api/hints")).body.hints;
  const steps = ["person", "messages", "passphrase", "devices", "place"];
  t.strictSame(await hints(), { setUp: true, next: steps.map((step) => ({ step, done: false })) });
  await call("POST", "/api/devices", { id: "gate", name: "Gate", type: "gate" });
  t.strictSame(
    (await hints()).next.find(({ step }: { step: string }) => step === "devices").done,
    false,
    "only a gate",
  );
  await call("POST", "/api/devices", { id: "lamp", name: "Lamp", type: "light" });
  await call("PATCH", "/api/site", { latitude: 18.52, longitude: 73.85 });
  const owner = hub.access.accounts.owner()?.id ?? 0;
  await hub.access.persons.invite(owner, { name: "Ravi", role: "member" }, { accountId: owner, actor: "cli" });
  const done = (await hints()).next.filter(({ done }: { done: boolean }) => done);
  t.strictSame(
    done.map(({ step }: { step: string }) => step),
    ["person", "devices", "place"],
  );
  const hidden = await call("POST", "/api/hints/hide", { hint: "next" });
  t.equal(hidden.status, 200);
  t.strictSame(hidden.body.hints, { setUp: true, next: null });
  t.strictSame((await call("POST", "/api/hints/hide", { hint: "setUp" })).body.hints, { setUp: false, next: null });
  t.strictSame(await hints(), { setUp: false, next: null }, "kept");
  t.equal((await call("POST", "/api/hints/hide", { hint: "none" })).status, 400);
});

t.test("a member is suggested nothing", async (t) => {
  const { api, hub } = await startConsoleHub(t);
  const { access } = hub;
  const owner = access.accounts.owner()?.id ?? 0;
  const { code } = await access.persons.invite(
    owner,
    { name: "Ravi", role: "member" },
    { accountId: owner, actor: "cli" },
  );
  const from = { address: "192.168.1.20", userAgent: "test" };
  const ravi = { code, name: "Ravi", email: "ravi@example.org", password: "a quiet sentence about rain" };
  const { account } = await access.persons.join(ravi, from);
  const { token } = await hub.base.database.write(() => access.sessions.open(account.id, from));
  const { body } = await api.call("GET", "/api/hints", { headers: { Cookie: `gatehouse_session=${token}` } });
  t.strictSame(body, { hints: { setUp: false, next: null } });
});
