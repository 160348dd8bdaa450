import t, { type Test } from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import type { BridgeClient } from "../../src/features/bridge/client.ts";
import { BridgeClients } from "../../src/features/bridge/clients.ts";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

async function clientsIn(t: Test, most = 200, folder = testFolder(t)) {
  const clock = new FakeClock();
  const database = await openDatabase(folder);
  t.teardown(() => database.stop());
  const changes: string[] = [];
  const build = () =>
    new BridgeClients({
      database,
      clock,
      logger: silentLogger,
      issuerStands: () => true,
      maxClients: () => most,
      changed: (client, what) => changes.push(`${client.username} ${what}`),
    });
  const clients = build();
  await clients.start();
  t.teardown(() => clients.stop());
  const login = (username: string, { password = "secret", address = "10.0.0.1", mqttClientId = "c" } = {}) =>
    clients.refusal({ username, password, address, mqttClientId });
  return { clients, build, clock, database, changes, login };
}

t.test("the pairing window stays open for its minutes, and then clients wait outside", async (t) => {
  const { clients, clock, changes, login } = await clientsIn(t);
  t.equal(clients.pairingUntil, null);
  t.equal(login("tasmota"), "unknown_client");
  t.same(clients.list(), []);
  clients.openPairing(2);
  t.equal(clients.pairingUntil, clock.now() + 120_000);
  clock.advance(60_000);
  clients.openPairing(2);
  clock.advance(119_999);
  t.equal(login("tasmota"), null, "measured again");
  t.hasStrict(clients.find("tasmota"), {
    name: "tasmota",
    status: "pending",
    origin: "paired",
    family: null,
    families: [],
    clientId: "c",
    address: "10.0.0.1",
    firstSeen: clock.now(),
    lastSeen: clock.now(),
  });
  t.same(changes, []);
  clock.advance(1);
  t.equal(clients.pairingUntil, null);
  t.same(changes, ["tasmota cut"]);
  t.equal(login("tasmota"), "waiting_client");
  t.equal(login("another"), "unknown_client");
  clients.closePairing();
  t.same(changes, ["tasmota cut"], "it is already closed");
  clients.openPairing(1);
  t.equal(login("tasmota", { password: "wrong" }), "wrong_credential");
  t.equal(login("tasmota"), null);
  for (const name of ["", " a", "a\u0007", `a${"b".repeat(100)}`, "ü"])
    t.equal(login(name), "unusable_username", JSON.stringify(name));
  t.equal(login(`a${"b".repeat(99)}`), null);
  t.equal(login("with space"), null);
  await clients.stop();
  t.equal(clock.pending, 0);
});

t.test("admitting, refusing, renewing and forgetting are each announced once they are on disk", async (t) => {
  const { clients, build, clock, database, changes, login } = await clientsIn(t);
  clients.openPairing(5);
  login("tasmota");
  const { id } = clients.find("tasmota") ?? { id: 0 };
  t.equal(clients.usernameOf(id), "tasmota");
  t.equal(clients.usernameOf(id + 1), null);
  t.equal(clients.find("nobody"), null);
  const onUnknown: (() => Promise<unknown>)[] = [
    () => clients.accept(id + 1, { families: ["tasmota"] }),
    () => clients.refuse(id + 1),
    () => clients.remove(id + 1),
    () => clients.renewPassword(id + 1),
    async () => clients.get(id + 1),
  ];
  for (const attempt of onUnknown) await t.rejects(attempt(), { code: /^not_found$/ });
  await t.rejects(clients.renewPassword(id), { code: /^conflict$/ }, "it is still waiting");
  t.hasStrict(await clients.accept(id, { families: ["tasmota", "openbeken"] }), {
    name: "tasmota",
    family: "tasmota",
    families: ["tasmota", "openbeken"],
    status: "accepted",
  });
  clients.closePairing();
  t.equal(login("tasmota"), null, "no window is needed any more");
  const first = clients.get(id).firstSeen;
  clock.advance(1_000);
  login("tasmota", { address: "10.0.0.2", mqttClientId: "other" });
  t.hasStrict(clients.get(id), { firstSeen: first, lastSeen: clock.now(), address: "10.0.0.2", clientId: "other" });
  clock.advance(1_000);
  clients.left("tasmota");
  clients.left("nobody");
  t.equal(clients.get(id).lastSeen, clock.now());
  const renewed = await clients.renewPassword(id);
  t.match(renewed.password, /^[0-9A-Za-z]{24}$/);
  t.equal(login("tasmota"), "wrong_credential");
  t.equal(login("tasmota", { password: renewed.password }), null);
  await clients.refuse(id);
  t.equal(login("tasmota", { password: renewed.password }), "refused_client");
  t.same(changes, ["tasmota accepted", "tasmota renewed", "tasmota cut"]);
  await database.write(() => {});
  const again = build();
  await again.start();
  t.same(again.get(id), clients.get(id), "after a restart");
  await clients.remove(id);
  t.equal(changes.at(-1), "tasmota forgotten");
  t.equal(clients.find("tasmota"), null);
  await database.write(() => {});
  const last = build();
  await last.start();
  t.same(last.list(), []);
});

t.test("a credential is created, set or changed by hand", async (t) => {
  const { clients, database, changes, login } = await clientsIn(t, 3);
  const { client, password } = await clients.create({ family: "tasmota", name: "Kitchen" });
  t.hasStrict(client, { name: "Kitchen", families: ["tasmota"], status: "accepted", origin: "made", firstSeen: null });
  t.match(client.username, /^tasmota-[0-9a-z]{6}$/);
  t.match(password, /^[0-9A-Za-z]{24}$/);
  t.equal(login(client.username, { password }), null);
  const insert = (given: { username?: string; password?: string }) =>
    database.write(() => clients.insert({ name: "Hall", families: ["zigbee2mqtt", "frigate"], ...given }));
  await t.rejects(insert({ username: client.username }), { code: /^conflict$/ });
  await t.rejects(insert({ username: "ü" }), { code: /^invalid_body$/ });
  t.equal((await insert({ username: "hall", password: "given" })).password, "given");
  t.match(clients.find("hall"), { families: ["zigbee2mqtt", "frigate"] });
  await insert({});
  await t.rejects(insert({}), { code: /^limit_reached$/ });
  const hall = clients.find("hall")?.id ?? 0;
  const update = (to: Partial<{ name: string; families: [string, ...string[]]; password: string }>) =>
    database.write(() => clients.update(hall, { name: "Hall", families: ["zigbee2mqtt", "frigate"], ...to }));
  changes.length = 0;
  t.equal(await update({}), false);
  t.equal(await update({ password: "given" }), false, "the same password");
  t.same(changes, []);
  t.equal(await update({ password: "new" }), true);
  t.same(changes, ["hall renewed"]);
  t.equal(login("hall", { password: "new" }), null);
  t.equal(await update({ name: "Gate" }), true);
  t.equal(await update({ families: ["zigbee2mqtt"] }), true);
  t.equal(await update({ families: ["frigate"] }), true);
  t.same(changes, ["hall renewed", "hall accepted", "hall accepted", "hall accepted"]);
  await clients.refuse(hall);
  t.equal(await update({ families: ["frigate"] }), true, "this accepts a refused one");
  t.equal(clients.get(hall).status, "accepted");
});

t.test("waiting clients come first, then by name; a client's topics are recorded while it waits", async (t) => {
  const { clients, database, login } = await clientsIn(t);
  clients.openPairing(5);
  for (const name of ["delta", "alpha", "charlie", "bravo"]) login(name);
  const idOf = (name: string): number => clients.find(name)?.id ?? 0;
  await clients.accept(idOf("charlie"), { families: ["tasmota"], name: "Zulu" });
  await clients.accept(idOf("delta"), { families: ["tasmota"] });
  await clients.refuse(idOf("alpha"));
  t.same(
    clients.list().map(({ name }) => name),
    ["bravo", "delta", "Zulu", "alpha"],
  );
  clients.showed(idOf("bravo"), "tasmota");
  clients.showed(idOf("bravo"), "tasmota");
  clients.showed(idOf("bravo"), "frigate");
  clients.showed(idOf("bravo"), "esphome");
  clients.showed(idOf("charlie"), "esphome");
  clients.showed(999, "esphome");
  t.hasStrict(clients.find("bravo"), { family: "tasmota", families: ["tasmota", "frigate", "esphome"] });
  t.same(clients.find("charlie")?.families, ["tasmota"], "an accepted one gains nothing by it");
  await database.write(() => {});
});

t.test("fifty may wait; when all places are taken, the address with the most gives one up", async (t) => {
  const { clients, changes, login, database } = await clientsIn(t);
  clients.openPairing(5);
  for (let n = 0; n < 48; n++) login(`many-${n}`, { address: "10.0.0.9" });
  login("few-1", { address: "10.0.0.2" });
  t.equal(login("few-2", { address: "10.0.0.2" }), null, "the fiftieth");
  t.equal(login("many-48", { address: "10.0.0.9" }), "too_many_clients", "not for itself");
  t.equal(login("new", { address: "10.0.0.3" }), null);
  t.same(changes, ["many-0 forgotten"]);
  t.equal(clients.find("many-0"), null);
  t.equal(clients.list().length, 50);
  await clients.accept(clients.find("many-1")?.id ?? 0, { families: ["tasmota"] });
  t.equal(login("many-48", { address: "10.0.0.9" }), null, "an accepted one is no longer waiting");
  await database.write(() => {});
  const even = await clientsIn(t, 200, testFolder(t, { even: {} }));
  even.clients.openPairing(5);
  for (let n = 0; n < 50; n++) even.login(`c${n}`, { address: `10.0.1.${n % 25}` });
  t.equal(even.login("last", { address: "10.0.1.0" }), "too_many_clients");
  t.equal(even.login("new", { address: "10.0.2.1" }), null, "one of two, for a client that has none");
  t.equal(even.login("new-2", { address: "10.0.2.1" }), "too_many_clients", "then they have as many");
  const full = await clientsIn(t, 2, testFolder(t, { full: {} }));
  full.clients.openPairing(5);
  t.same([full.login("a"), full.login("b"), full.login("c")], [null, null, "too_many_clients"]);
  const shown: readonly BridgeClient[] = full.clients.list();
  t.equal(shown.length, 2);
});

t.test("a sign-in during a refusal, renewal or removal does not undo it on disk", async (t) => {
  const { clients, build, login } = await clientsIn(t);
  const made = await Promise.all(["a", "b", "c"].map((name) => clients.create({ family: "tasmota", name })));
  const [refused, renewed, forgotten] = made.map(({ client, password }) => ({ ...client, password }));
  if (refused === undefined || renewed === undefined || forgotten === undefined) throw new Error("three were made");
  const work = [clients.refuse(refused.id), clients.renewPassword(renewed.id), clients.remove(forgotten.id)] as const;
  for (const { username, password } of [refused, renewed, forgotten]) login(username, { password });
  const [, { password }] = await Promise.all(work);
  login(forgotten.username, { password: forgotten.password });
  await clients.stop();
  const again = build();
  await again.start();
  t.teardown(() => again.stop());
  const late = (username: string, tried: string) =>
    again.refusal({ username, password: tried, address: "10.0.0.1", mqttClientId: "c" });
  t.equal(late(refused.username, refused.password), "refused_client");
  t.equal(late(renewed.username, renewed.password), "wrong_credential");
  t.equal(late(renewed.username, password), null);
  t.equal(late(forgotten.username, forgotten.password), "unknown_client");
});

t.test("a forgotten client is not admitted while the disk is still writing it", async (t) => {
  const { clients, database, login } = await clientsIn(t);
  const { client, password } = await clients.create({ family: "tasmota", name: "a" });
  const removed = clients.remove(client.id);
  await new Promise<void>((resolve) => void database.write(() => database.committed(resolve)));
  t.equal(login(client.username, { password }), "unknown_client", "it is committed");
  await removed;
});

t.test("a new password in the same commit does not readmit a refused client", async (t) => {
  const { clients, login } = await clientsIn(t);
  const { client } = await clients.create({ family: "tasmota", name: "a" });
  const [, renewed] = await Promise.allSettled([clients.refuse(client.id), clients.renewPassword(client.id)]);
  t.equal(renewed.status, "rejected");
  t.equal(login(client.username), "refused_client");
});

t.test("a client is not accepted while others use its name with another password", async (t) => {
  const { clients, login } = await clientsIn(t);
  clients.openPairing(5);
  t.equal(login("tasmota", { password: "somebody's" }), null);
  t.equal(login("tasmota", { password: "the household's", address: "10.0.0.2" }), "wrong_credential");
  const { id } = clients.find("tasmota") ?? { id: 0 };
  await t.rejects(clients.accept(id, { families: ["tasmota"] }), { code: /^conflict$/ });
  t.equal(clients.find("tasmota")?.status, "pending");
  await clients.remove(id);
  t.equal(login("tasmota", { password: "the household's", address: "10.0.0.2" }), null);
  await clients.accept(clients.find("tasmota")?.id ?? 0, { families: ["tasmota"] });
  t.equal(clients.find("tasmota")?.status, "accepted");
  t.equal(login("tasmota", { password: "somebody's" }), "wrong_credential");
});
