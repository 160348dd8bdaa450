/** Settings that wait for a restart: those that the hub does not start with are taken back, and its owner is told. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { openSettings, takeBack } from "../../src/settings/store.js";
import { Person, startHubProcess } from "../support/hub-process.js";

/** TLS as the settings file says: empty is not set. */
const ENV = { GATEHOUSE_TLS: "" };

t.test("a hub that does not start with what was saved is back with what it had, and says so", async (t) => {
  const folder = t.testdir();
  const hub = await startHubProcess(folder, ENV);
  const owner = new Person(hub.url);
  await owner.claim(hub.claimCode ?? "");
  const wrong = {
    "tls.mode": "files",
    "tls.certificateFile": join(folder, "none.crt"),
    "tls.keyFile": join(folder, "none.key"),
  };
  t.match(await owner.call("PATCH", "/api/settings", { settings: { ...wrong, "plates.imageRetentionDays": 7 } }), {
    status: 200,
  });
  t.equal(await hub.stop(), 0);

  await t.rejects(startHubProcess(folder, ENV), /ended with 75[\s\S]*taken back/, "it asks to be started again");
  const again = await startHubProcess(folder, ENV);
  const back = new Person(again.url);
  t.equal(
    (await back.call("POST", "/api/session", { email: "asha@example.org", password: "correct horse battery staple" }))
      .status,
    200,
  );
  const checkOf = async (): Promise<unknown> => {
    const { body } = await back.call<{ checks: { code: string; level: string; text: string }[] }>("GET", "/api/health");
    return body.checks.find(({ code }) => code === "settings");
  };
  t.match(await checkOf(), { level: "degraded", text: /tls\.mode.*tls\.certificateFile/ });
  const { plates, tls } = JSON.parse(readFileSync(join(folder, "gatehouse.json"), "utf8"));
  t.same([plates, tls ?? {}], [{ imageRetentionDays: 7 }, {}], "what took effect at once stays");

  t.equal((await back.call("PATCH", "/api/settings", { settings: { "plates.imageRetentionDays": 8 } })).status, 200);
  t.match(await checkOf(), { level: "ok" }, "told until the next change");
  await again.stop();
});

t.test("settings that a hub has started with are not taken back", async (t) => {
  const folder = t.testdir();
  const env = { GATEHOUSE_DATA: folder };
  const proven = join(folder, "gatehouse.json.proven");
  const store = openSettings({ env, argv: [] });
  await store.change({ "http.port": 9000 });
  t.equal(existsSync(proven), true);
  await store.change({ "http.port": 9001, "mqtt.port": 1999 });
  await store.change({ "http.port": null, "mqtt.port": null });
  t.equal(existsSync(proven), false, "nothing waits any more");
  await store.change({ "http.port": 9002 });
  const next = openSettings({ env, argv: [] });
  next.proved();
  t.equal(takeBack({ env, argv: [] }), false);
  t.equal(openSettings({ env, argv: [] }).current.http.port, 9002);

  await next.change({ "http.port": 9003 });
  t.equal(takeBack({ env, argv: [] }), true);
  const last = openSettings({ env, argv: [] });
  t.same([last.current.http.port, last.refused], [9002, ["http.port"]]);
});
