/** Certificates renewed on a running hub: time is simulated, the listeners and their TLS clients are real. */
import { X509Certificate } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import mqtt from "mqtt";
import t, { type Test } from "tap";
import { openTls } from "../../src/core/platform/tls.ts";
import { defaultSettings } from "../../src/core/settings/load.ts";
import { soundCertificates } from "../support/certificates.ts";
import { type ConsoleHub, startConsoleHub } from "../support/console-hub.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { eventually } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(280_000);
const DAY = 86_400_000;
const HALF_DAY = DAY / 2;
/** Half a day of a hub's timers is seconds of processor time. */
const LONG_MS = 120_000;
const TLS = {
  GATEHOUSE_TLS: "own",
  GATEHOUSE_PLAIN_HTTP: "open",
  GATEHOUSE_HTTPS_PORT: "0",
  GATEHOUSE_MQTTS_PORT: "0",
};

/** What a new client of `port` is shown, when it trusts `ca` alone. */
function shown(port: number, ca: string): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: "127.0.0.1", port, ca, servername: "localhost" }, () => {
      resolve(new X509Certificate(socket.getPeerCertificate().raw));
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

/** A socket of the web server that has answered once and stays open. */
async function openSocket(t: Test, port: number, ca: string): Promise<TLSSocket> {
  const socket = connectTls({ host: "127.0.0.1", port, ca, servername: "localhost" });
  t.teardown(() => socket.destroy());
  await askOver(socket);
  return socket;
}

function askOver(socket: TLSSocket): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once("data", (chunk) => resolve(String(chunk).split("\r\n")[0] ?? ""));
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("closed")));
    socket.write("GET /v1 HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n");
  });
}

function health(port: number, ca: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get({ host: "localhost", family: 4, port, path: "/healthz", ca, agent: false }, (response) =>
      resolve(response.resume().statusCode),
    ).on("error", reject);
  });
}

async function plug({ hub, call }: ConsoleHub, ca: string): Promise<mqtt.MqttClient> {
  const { body } = await call("POST", "/api/devices", { id: "plug-1", name: "Plug", type: "switch" });
  const { password } = body as { password: string }; // checked against the OpenAPI document
  return mqtt.connectAsync({
    host: "127.0.0.1",
    port: hub.mqtt.broker.tlsPort ?? 0,
    protocol: "mqtts",
    ca,
    servername: "localhost",
    username: "plug-1",
    password,
    clientId: "plug-1",
    keepalive: 0,
    reconnectPeriod: 0,
  });
}

t.test(
  "a leaf near its end is renewed and served without a restart; clients that trust the authority notice nothing",
  async (t) => {
    // The hub starts in the past, so that for the clients' real clock both leaves are valid.
    const clock = new FakeClock(Date.now() - 335 * DAY);
    const running = await startConsoleHub(t, { clock, env: TLS });
    const { hub } = running;
    const ca = hub.base.tls?.authority?.cert ?? "";
    const { tlsPort } = hub.web.server;
    const mqttsPort = hub.mqtt.broker.tlsPort ?? 0;
    const first = await shown(tlsPort, ca);
    t.equal((await shown(mqttsPort, ca)).serialNumber, first.serialNumber);
    const browser = await openSocket(t, tlsPort, ca);
    const device = await plug(running, ca);
    t.teardown(() => device.end(true));

    clock.jump(328 * DAY);
    hub.base.clock.vouch(); // the time has really passed
    clock.advance(HALF_DAY);
    t.equal((await shown(tlsPort, ca)).serialNumber, first.serialNumber, "61 days before its end it stays");

    clock.jump(2 * DAY);
    hub.base.clock.vouch();
    let tries = 0;
    const second = await eventually(async () => {
      // A run that begins while the previous one is in progress is left out; with too many, the new leaf is not yet
      // valid by the client's clock.
      if (tries % 25 === 0) clock.advance(HALF_DAY);
      tries += 1;
      const now = await shown(tlsPort, ca);
      return now.serialNumber === first.serialNumber ? undefined : now;
    }, LONG_MS);
    t.ok(Date.parse(second.validTo) - Date.parse(first.validTo) > 300 * DAY, `${first.validTo} → ${second.validTo}`);
    t.equal((await shown(mqttsPort, ca)).serialNumber, second.serialNumber, "the broker serves the same");
    t.equal(await health(tlsPort, ca), 200);
    t.match(await askOver(browser), /^HTTP\/1\.1 /, "the earlier connection stays open");
    await device.publishAsync("gatehouse/plug-1/state", '{"on":true}', { qos: 1 });
    t.equal(device.connected, true);
    const kept = readFileSync(join(running.dataFolder, "tls/server.crt"), "utf8");
    t.equal(new X509Certificate(kept).serialNumber, second.serialNumber, "the next start serves it too");
  },
);

t.test("the owner's own files are reread while the hub runs; half-written ones change nothing", async (t) => {
  const folder = testFolder(t, { data: {}, first: {}, second: {} });
  const wishes = { names: ["localhost"], addresses: ["127.0.0.1"], nowMs: Date.now() };
  const [first, second] = [
    await soundCertificates({ ...wishes, folder: join(folder, "first") }),
    await soundCertificates({ ...wishes, folder: join(folder, "second") }),
  ];
  const [certFile, keyFile] = [join(folder, "site.crt"), join(folder, "site.key")];
  writeFileSync(certFile, first.server.cert);
  writeFileSync(keyFile, first.server.key);
  const clock = new FakeClock(Date.now());
  const env = { ...TLS, GATEHOUSE_TLS: "files", GATEHOUSE_TLS_CERTIFICATE: certFile, GATEHOUSE_TLS_KEY: keyFile };
  const { hub } = await startConsoleHub(t, { clock, env, folder: join(folder, "data"), claim: false });
  const { tlsPort } = hub.web.server;
  t.equal(await health(tlsPort, first.authority.cert), 200);

  writeFileSync(certFile, second.server.cert); // and the old key still
  clock.advance(HALF_DAY);
  t.equal(await health(tlsPort, first.authority.cert), 200);

  writeFileSync(keyFile, second.server.key);
  clock.advance(HALF_DAY);
  await eventually(() => health(tlsPort, second.authority.cert).catch(() => undefined), LONG_MS);
  await shown(hub.mqtt.broker.tlsPort ?? 0, second.authority.cert);
  await t.rejects(health(tlsPort, first.authority.cert));
});

t.test("the authority is renewed while the hub runs, for web and devices; the audit records it", async (t) => {
  const { hub, call } = await startConsoleHub(t, { env: TLS });
  const before = hub.base.tls?.authority?.cert ?? "";
  const { tlsPort } = hub.web.server;
  t.equal(await health(tlsPort, before), 200);
  const { status, body } = await call("POST", "/api/network/authority", {});
  t.equal(status, 200);
  const after = hub.base.tls?.authority?.cert ?? "";
  t.not(after, before);
  t.match(body, { network: { authority: { kind: /^own$/, fingerprint: hub.base.tls?.authority?.fingerprint } } });
  t.equal(await health(tlsPort, after), 200);
  await t.rejects(health(tlsPort, before));
  await t.rejects(shown(hub.mqtt.broker.tlsPort ?? 0, before));
  await shown(hub.mqtt.broker.tlsPort ?? 0, after);
  t.hasStrict((await call("GET", "/api/audit")).body, { audit: [{ action: "authority.renewed" }] });
});

t.test("an existing household keeps its settings: an update locks no one out", async (t) => {
  const opened = async (mode: string, files: Record<string, string>): Promise<string> => {
    const folder = testFolder(t, files.tls === undefined ? files : { ...files, tls: { "authority.crt": "x" } });
    const settings = defaultSettings({ tls: { mode, httpsPort: 0, mqttsPort: 0 } });
    const tls = await openTls(settings, folder, { nowMs: Date.now() });
    const again = await openTls(settings, folder, { nowMs: Date.now() });
    t.equal(again?.plainHttpByDefault, tls?.plainHttpByDefault, "at the next start too");
    return tls === null ? "no TLS" : tls.plainHttpByDefault;
  };
  t.equal(await opened("auto", {}), "open", "a new hub offers https; the claim over it closes plain http");
  t.equal(await opened("own", {}), "closed", "a hub set to encrypt never opens it");
  t.equal(await opened("off", {}), "no TLS");
  t.equal(await opened("auto", { "gatehouse.db": "" }), "no TLS", "a hub that began without stays without");
  t.equal(await opened("own", { "gatehouse.db": "" }), "open");
  t.equal(await opened("auto", { "gatehouse.db": "", tls: "" }), "open", "a card whose image now has auto");
});

t.test("a hub once started with its clock far ahead is reached by its devices again", async (t) => {
  const dataFolder = testFolder(t);
  const settings = defaultSettings({ tls: { mode: "own", httpsPort: 0, mqttsPort: 0 } });
  const ahead = await openTls(settings, dataFolder, { nowMs: Date.UTC(2200, 0, 1) }); // with the names that the hub has too
  const ca = ahead?.authority?.cert ?? "";
  const { hub } = await startConsoleHub(t, { env: TLS, folder: dataFolder });
  for (const port of [hub.web.server.tlsPort ?? 0, hub.mqtt.broker.tlsPort ?? 0])
    await eventually(async () => {
      const leaf = await shown(port, ca).catch(() => null);
      return leaf !== null && leaf.validFromDate.getTime() <= Date.now() ? true : undefined;
    }, LONG_MS);
});
