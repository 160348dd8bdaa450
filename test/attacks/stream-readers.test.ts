/**
 * Readers of `GET /v1/stream` who want more than their share: others' events, a stream that outlives its key, every
 * place, the hub's memory.
 */
import { readFileSync } from "node:fs";
import t from "tap";
import { EventReader } from "../support/event-reader.ts";
import { HouseholdProcess } from "../support/household-process.ts";
import { eventually } from "../support/hub-process.ts";

t.setTimeout(60_000);
const house = await HouseholdProcess.start(t);
const password = await house.device("gate");
const url = `${house.hub.url}/v1/stream`;
const gate = await house.connect(t, "gate", password);
const say = (state: object): Promise<unknown> =>
  gate.publishAsync("gatehouse/gate/state", JSON.stringify(state), { qos: 1 });

t.test("a revoked key, a key that loses a scope and a removed person hear nothing more, at once", async (t) => {
  const revoked = await house.key(["devices:read"]);
  const kept = await house.key(["devices:read"]);
  const { person, id } = await house.join("member");
  const readers = {
    revoked: await EventReader.open(t, url, { key: revoked.secret }),
    removed: await EventReader.open(t, url, { headers: { cookie: person.cookie } }),
    kept: await EventReader.open(t, url, { key: kept.secret }),
  };
  for (const reader of Object.values(readers)) await reader.named("stream.ready");
  await house.owner.call("DELETE", `/api/keys/${revoked.id}`);
  await house.owner.call("DELETE", `/api/persons/${id}`);
  t.ok(await readers.revoked.endsWithin(1_000), "the key's stream ends");
  t.ok(await readers.removed.endsWithin(1_000), "the person's stream ends");
  await say({ open: "secret" });
  await readers.kept.named("device.state");
  t.same([readers.revoked.names, readers.removed.names], [["stream.ready"], ["stream.ready"]]);
  const again = await EventReader.open(t, url, { key: revoked.secret, lastEventId: readers.kept.lastId });
  t.equal(again.status, 401);
});

t.test("with the id of another's stream a key receives only what its own scopes allow", async (t) => {
  const all = await EventReader.open(t, url, { key: (await house.key(["devices:read", "events:read"])).secret });
  await all.named("stream.ready");
  const from = all.lastId;
  await say({ open: true });
  await gate.publishAsync("gatehouse/gate/event", JSON.stringify({ kind: "bell", title: "Bell" }), { qos: 1 });
  await all.named("device.event");
  const narrow = await EventReader.open(t, url, { key: (await house.key(["events:read"])).secret, lastEventId: from });
  await narrow.named("stream.ready");
  t.same([...new Set(narrow.names)].sort(), ["device.event", "feed.added", "stream.ready"]);
  const simulated = await EventReader.open(t, url, {
    key: (await house.key(["devices:read", "events:read"], "test")).secret,
    lastEventId: from,
  });
  await simulated.named("stream.ready");
  t.notOk(
    simulated.events.some(({ data }) => data.deviceId === "gate"),
    "the simulated household receives nothing of the real one",
  );
});

t.test("one key may open any number of streams, and keeps ten; others keep theirs", async (t) => {
  const greedy = await house.key(["devices:read"]);
  const mine = await EventReader.open(t, url, { key: (await house.key(["devices:read"])).secret });
  await mine.named("stream.ready");
  const many = await Promise.all(Array.from({ length: 60 }, () => EventReader.open(t, url, { key: greedy.secret })));
  const open = await eventually(() => {
    const left = many.filter(({ hasEnded }) => !hasEnded);
    return left.length <= 10 ? left : undefined;
  });
  t.equal(open.length, 10);
  t.notOk(mine.hasEnded);
  for (const reader of many) reader.close();
});

t.test("forty readers that read nothing cost the hub little, however much happens", async (t) => {
  const keys = await Promise.all(Array.from({ length: 4 }, () => house.key(["devices:read"])));
  const deaf = await Promise.all(
    keys.flatMap(({ secret }) => Array.from({ length: 10 }, () => EventReader.open(t, url, { key: secret }))),
  );
  for (const reader of deaf) await reader.named("stream.ready");
  for (const reader of deaf) reader.pause();
  const resident = (): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${house.hub.pid}/status`, "utf8"))?.[1]) / 1_024;
  const before = resident();
  for (let n = 0; n < 300; n++) await say({ n, large: "x".repeat(30_000) });
  const grown = resident() - before;
  t.ok(grown < 80, `${grown.toFixed(0)} MB more; 18 MB were sent to each reader, 720 MB to all`);
  const { status } = await house.owner.call("GET", "/v1/devices/gate");
  t.equal(status, 200);
  for (const reader of deaf) reader.close();
});
