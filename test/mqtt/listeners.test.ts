import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import mqtt from "mqtt";
import t from "tap";
import WebSocket from "ws";
import { testFolder } from "../support/test-folder.ts";
import { clientOptions, startBroker, until } from "./harness.ts";

t.test("devices connect over TLS, and the certificate can be renewed", async (t) => {
  const folder = testFolder(t);
  const make = (name: string): { key: Buffer; cert: Buffer } => {
    const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    execFileSync(
      "openssl",
      ["req", "-x509", ...curve, "-keyout", key, "-out", cert, "-days", "2", "-subj", `/CN=${name}`],
      { stdio: "ignore" },
    );
    return { key: readFileSync(key), cert: readFileSync(cert) };
  };
  const first = make("first");
  const hub = await startBroker(t, { folder, broker: { tls: { port: 0, ...first }, port: null } });
  t.equal(hub.broker.port, null);
  const connect = (ca: Buffer, servername: string): Promise<mqtt.MqttClient> =>
    mqtt.connectAsync({ ...clientOptions(hub.broker.tlsPort ?? 0, "plug-1"), protocol: "mqtts", ca, servername });
  const plug = await connect(first.cert, "first");
  await plug.publishAsync("gatehouse/plug-1/state", "{}", { qos: 1 });
  t.match(hub.broker.figures()?.connections, { open: 1, unauthenticated: 0 });
  await plug.endAsync();
  const second = make("second");
  hub.broker.renewTls(second);
  await (await connect(second.cert, "second")).endAsync();
  await t.rejects(connect(first.cert, "first"));
  await until(() => hub.broker.figures()?.connections.open === 0);
});

t.test("devices connect over a WebSocket passed on by the web server", async (t) => {
  const hub = await startBroker(t);
  const web = createServer();
  web.on("upgrade", (request, socket, head) => hub.broker.acceptUpgrade(request, socket, head));
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  t.teardown(() => web.close());
  const { port } = web.address() as AddressInfo; // it listens on TCP
  const plug = await mqtt.connectAsync(`ws://127.0.0.1:${port}/mqtt`, {
    ...clientOptions(port, "plug-1"),
    protocol: "ws",
  });
  await plug.subscribeAsync("gatehouse/plug-1/command", { qos: 1 });
  const received = new Promise((resolve) => plug.once("message", (_topic, payload) => resolve(payload.toString())));
  t.equal(await hub.broker.publishCommand("plug-1", '{"on":true}', 1_000), "sent");
  t.equal(await received, '{"on":true}');
  await plug.publishAsync("gatehouse/plug-1/state", `{"x":"${"y".repeat(100_000)}"}`, { qos: 1 });
  t.hasStrict(hub.broker.refusals("plug-1"), [{ reason: "oversize", count: 1 }], "the frame guard applies here too");
  await plug.endAsync();

  const bare = new WebSocket(`ws://127.0.0.1:${port}/mqtt`);
  bare.on("error", () => {});
  await new Promise<void>((resolve) => bare.once("close", () => resolve()));
  await until(() => hub.broker.figures()?.connections.open === 0);
  t.pass("without the subprotocol the connection is refused");
});

t.test("a port in use is an error at start", async (t) => {
  const hub = await startBroker(t);
  const folder = join(t.testdirName, "second");
  mkdirSync(folder);
  await t.rejects(startBroker(t, { folder, broker: { port: hub.port } }), { code: /^EADDRINUSE$/ });
});
