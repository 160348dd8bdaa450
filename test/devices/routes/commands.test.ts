import t from "tap";
import { ApiHub } from "../../support/api-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const { api, devices, clock } = hub;
const key = await hub.key();
await hub.device("plug");
await hub.device("lamp");
await hub.device("foreign", { siteId: hub.other.siteId });

const send = async (json: object, options: { key?: string; id?: string } = {}): Promise<number> => {
  const { status, body } = await api.post(`/v1/devices/${options.id ?? "plug"}/commands`, {
    key: options.key ?? key,
    json,
  });
  if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.commandId;
};
const outcome = async (id: number, as = key) => (await api.get(`/v1/commands/${id}`, { key: as })).body.command;

t.test(
  "the 202 names the command, and its outcome can be read at once, before its row is written and after",
  async (t) => {
    const id = await send({ power: true });
    t.hasStrict(await outcome(id), {
      id,
      deviceId: "plug",
      status: "sent",
      reason: null,
      acknowledgedAt: null,
      at: "2026-03-01T12:00:00.000Z",
      expiresAt: "2026-03-01T12:01:00.000Z",
    });
    await devices.settled();
    t.equal((await outcome(id)).status, "sent");
    clock.advance(40);
    devices.commands.onDelivered("plug", '{"power":true}');
    await devices.state.apply("plug", { power: true }, { source: "device", at: clock.now() + 60 });
    await devices.settled();
    t.match(await outcome(id), {
      status: /^acknowledged$/,
      acknowledgedAt: "2026-03-01T12:00:00.040Z",
      answeredAt: "2026-03-01T12:00:00.100Z",
      changed: ["power"],
    });
  },
);

t.test(
  "an offline device: pending, then expired; an unresponsive one: sent, then expired for another reason, without a write",
  async (t) => {
    devices.deliver = async () => "queued";
    const waiting = await send({ n: 1 });
    devices.deliver = async () => "sent";
    const unanswered = await send({ n: 2 });
    const late = await send({ n: 3 }, { id: "lamp" });
    await devices.settled();
    t.equal((await outcome(waiting)).status, "pending");
    clock.advance(30_000);
    await send({ n: 4 }); // another command does not evict the first
    devices.commands.onDelivered("lamp", '{"n":3}');
    await devices.settled();
    t.equal((await outcome(late)).status, "acknowledged", "half a minute later, over a new connection");
    clock.advance(30_001);
    t.equal((await outcome(unanswered)).status, "expired", "before the expiry sweep");
    t.equal(await devices.commands.expireDue(clock.now()), 1);
    const { jobs } = hub.database.figures;
    t.equal(await devices.commands.expireDue(clock.now()), 0);
    t.equal(hub.database.figures.jobs, jobs);
    t.hasStrict(await outcome(waiting), { status: "expired", reason: "device_away" });
    t.hasStrict(await outcome(unanswered), { status: "expired", reason: "no_answer" });
    clock.jump(-3_600_000);
    t.hasStrict(await outcome(unanswered), { status: "expired" }, "whatever the wall clock shows");
    clock.jump(3_600_000);
  },
);

t.test("a third-party device's command has failed if its state does not show the effect", async (t) => {
  const id = await send({ on: true });
  devices.commands.onTimeout("plug", '{"on":true}');
  await devices.settled();
  t.hasStrict(await outcome(id), { status: "failed", reason: "not_done" });
});

t.test("a state change counts as an answer if nothing is acknowledged", async (t) => {
  clock.advance(60_000);
  const id = await send({ dim: 3 });
  await devices.state.apply("plug", { dim: 3 }, { source: "device", at: clock.now() });
  await devices.settled();
  t.match(await outcome(id), { status: /^acknowledged$/, changed: ["dim"] });
});

t.test("devices:read sees every command of the household, devices:control its own, others nothing", async (t) => {
  const sender = await hub.key({ scopes: ["devices:control"] });
  const neighbour = await hub.key({ scopes: ["devices:control"] });
  const id = await send({ mine: 1 }, { key: sender });
  t.equal((await outcome(id, sender)).id, id);
  t.equal((await outcome(id)).id, id);
  for (const [as, status, code] of [
    [neighbour, 404, "command_not_found"],
    [await hub.key({ of: hub.other }), 404, "command_not_found"],
    [await hub.key({ env: "test" }), 404, "command_not_found"],
    [await hub.key({ scopes: ["events:read"] }), 403, "insufficient_scope"],
  ] as const)
    t.hasStrict(await api.get(`/v1/commands/${id}`, { key: as }), { status, body: { error: { code } } });
  for (const wrong of ["0", "-1", "x", "999999", "9007199254740993"])
    t.hasStrict(
      await api.get(`/v1/commands/${wrong}`, { key }),
      { status: 404, body: { error: { code: "command_not_found" } } },
      wrong,
    );
  const { body } = await api.get(`/v1/commands/${id}`, { key });
  t.notMatch(JSON.stringify(body), /mine|api_key/, "neither payload nor sender is revealed");
});

t.test("the outcome is known while the disk accepts nothing", async (t) => {
  const write = hub.database.write.bind(hub.database);
  hub.database.write = () => Promise.reject(new Error("full"));
  const id = await send({ full: true }, { id: "lamp" });
  await devices.commands.settled();
  hub.database.write = write;
  t.equal((await outcome(id)).status, "sent");
  devices.commands.onDelivered("lamp", '{"full":true}');
  t.equal((await outcome(id)).status, "acknowledged");
});
