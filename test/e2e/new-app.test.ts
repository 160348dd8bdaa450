/**
 * A new app in sixty lines, using only the released client package. It pairs, shows live state, sends a command and
 * learns its outcome, over TLS with the hub's own authority, and reaches nothing but the hub.
 */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "mqtt";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { eventually, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";
import { TlsPerson } from "../support/tls-person.ts";

t.setTimeout(120_000);
const APP = join(PROJECT_ROOT, "test/fixtures/new-app/app.mjs");
/** Any connection of the app beyond this machine's own addresses ends it. */
const OFFLINE = `import net from "node:net";
const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...given) {
  const [options] = Array.isArray(given[0]) ? given[0] : given;
  if (!["127.0.0.1", "localhost"].includes(options?.host ?? "")) { console.log(JSON.stringify({ word: "strayed", host: options?.host })); process.exit(1); }
  return connect.apply(this, given);
};`;

t.test("a new app pairs, shows live state, sends a command and sees its outcome", async (t) => {
  const lines = readFileSync(APP, "utf8").trim().split("\n");
  t.ok(lines.length <= 60, `${lines.length} lines`);
  t.same(
    lines.filter((line) => line.startsWith("import")).map((line) => /from "([^"]+)"/.exec(line)?.[1]),
    ["@gatehouse/client"],
  );
  const { packClient } = (await import(join(PROJECT_ROOT, "scripts/lib/client-package.mjs"))) as {
    packClient: (out: string, version: string) => string;
  }; // plain JavaScript
  const folder = testFolder(t, { hub: {}, app: {} });
  const home = join(folder, "app/node_modules/@gatehouse/client");
  mkdirSync(home, { recursive: true });
  execFileSync("tar", ["-xzf", packClient(folder, "1.0.0"), "-C", home, "--strip-components=1"]);
  cpSync(APP, join(folder, "app/app.mjs"));
  writeFileSync(join(folder, "app/offline.mjs"), OFFLINE);

  const hub = await startHubProcess(join(folder, "hub"), { GATEHOUSE_TLS: "auto" });
  t.teardown(() => hub.kill());
  const authority = join(folder, "ca.crt");
  writeFileSync(authority, await (await fetch(`${hub.url}/ca.crt`)).text());
  const owner = await TlsPerson.at(hub);
  const claim = {
    code: hub.claimCode,
    name: "Asha Rao",
    email: "asha@example.org",
    password: "correct horse battery staple",
  };
  t.equal((await owner.call("POST", "/api/claim", claim)).status, 201);
  const lamp = (await owner.call("POST", "/api/devices", { id: "lamp", name: "Lamp", type: "light" })).body;
  const device = connect(hub.url.replace(/^http:\/\/([^:]+):.*/, `mqtts://$1:${hub.mqttsPort}`), {
    username: "lamp",
    password: lamp.password,
    clientId: "lamp",
    ca: readFileSync(authority, "utf8"),
    servername: "localhost",
    rejectUnauthorized: true,
    reconnectPeriod: 0,
  });
  t.teardown(() => device.end(true));
  await new Promise((resolve, reject) => device.once("connect", resolve).once("error", reject));
  device.on(
    "message",
    (topic, payload) => topic.endsWith("/command") && device.publish("gatehouse/lamp/state", payload, { qos: 1 }),
  );
  await device.subscribeAsync("gatehouse/lamp/command", { qos: 1 });
  await device.publishAsync("gatehouse/lamp/state", '{"power":false}', { qos: 1 });

  const url = `https://localhost:${new URL(hub.httpsUrl).port}`;
  const app = spawn(process.execPath, ["--import", "./offline.mjs", "app.mjs", url], {
    cwd: join(folder, "app"),
    env: { PATH: process.env.PATH ?? "", NODE_EXTRA_CA_CERTS: authority },
  });
  t.teardown(() => app.kill());
  let output = "";
  for (const stream of [app.stdout, app.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  // biome-ignore lint/suspicious/noExplicitAny: what the app prints
  const printed = (word: string): Promise<any> =>
    eventually(
      () => output.split("\n").flatMap((line) => (line.startsWith(`{"word":"${word}"`) ? [JSON.parse(line)] : []))[0],
      20_000,
    ).catch(() => {
      throw new Error(`the app did not say "${word}": ${output}`);
    });

  const shown = await printed("show");
  t.equal(shown.verification_uri_complete, `${url}/pair#${shown.user_code}`);
  const approval = { userCode: shown.user_code, name: "Kitchen panel", scopes: ["devices:read", "devices:control"] };
  t.equal((await owner.call("POST", "/api/pairing/approve", approval)).status, 200);
  t.match(await printed("paired"), { scopes: ["devices:read", "devices:control"] });
  t.hasStrict(await printed("devices"), { names: [{ name: "Lamp", online: true, state: { power: false } }] });
  t.hasStrict(await printed("outcome"), { status: "acknowledged" });
  t.match(await printed("state"), { deviceId: /^lamp$/, state: { power: true }, source: "api" });
  const { keys } = (await owner.call("GET", "/api/keys")).body;
  t.equal((await owner.call("DELETE", `/api/keys/${keys[0].id}`)).status, 200);
  t.hasStrict(await printed("over"), { code: "revoked_credential" });
  t.notMatch(output, /strayed/);
});
