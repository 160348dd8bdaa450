import { createRequire } from "node:module";
import { connect } from "node:net";
import { Aedes, type Client } from "aedes";
import t from "tap";
import { live, takeMessageId } from "../../src/core/mqtt/aedes/client.ts";
import { startBroker } from "./harness.ts";

t.test("Aedes' client has the members that its types leave out", async (t) => {
  const aedes = await Aedes.createBroker();
  t.teardown(() => new Promise<void>((resolve) => aedes.close(resolve)));
  const socket = connect({ host: "127.0.0.1", port: 1, autoSelectFamily: false });
  socket.on("error", () => {});
  aedes.on("connectionError", () => {});
  const client = live(aedes.handle(socket) as Client);
  t.equal(client.will, null);
  t.equal(client._disconnected, false);
  t.equal(client._keepaliveTimer, null);
  t.same(Object.keys(client.subscriptions), []);
  const first = client._nextId;
  t.ok(first >= 1 && first <= 65_535);
  t.equal(takeMessageId(client), first);
  t.equal(client._nextId, first === 65_535 ? 1 : first + 1);
  client._nextId = 65_535;
  t.equal(takeMessageId(client), 65_535);
  t.equal(client._nextId, 1, "zero is not a packet identifier");
  client.close();
});

t.test("packets are written without a table of all packet identifiers", async (t) => {
  const hub = await startBroker(t);
  const plug = await hub.connect();
  await plug.publishAsync("gatehouse/plug-1/state", "{}", { qos: 2 });
  const { cache } = createRequire(import.meta.url)("mqtt-packet/numbers.js");
  t.same(Object.keys(cache), []);
});
