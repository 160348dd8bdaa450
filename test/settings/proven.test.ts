/**
 * Settings that wait for a restart: those with which the hub does not start are reverted, and its owner is notified.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { openSettings, takeBack } from "../../src/core/settings/store.ts";
import { Person, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

/** TLS as in the settings file: empty means unset. */
const ENV = { GATEHOUSE_TLS: "" };

t.test("a hub that does not start with the saved settings returns to its earlier ones, and reports it", async (t) => {
  const folder = testFolder(t);
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

  await t.rejects(startHubProcess(folder, ENV), /ended with 75[\s\S]*taken back/, "it asks to be restarted");
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
  t.same([plates, tls ?? {}], [{ imageRetentionDays: 7 }, {}], "settings that took effect at once stay");

  t.equal((await back.call("PATCH", "/api/settings", { settings: { "plates.imageRetentionDays": 8 } })).status, 200);
  t.match(await checkOf(), { level: "ok" }, "reported until the next change");
  await again.stop();
});

t.test("settings that a hub has started with are not reverted", async (t) => {
  const folder = testFolder(t);
  const env = { GATEHOUSE_DATA: folder };
  const proven = join(folder, "gatehouse.json.proven");
  const store = openSettings({ env, argv: [] });
  await store.change({ "http.port": 9000 });
  t.equal(existsSync(proven), true);
  await store.change({ "http.port": 9001, "mqtt.port": 1999 });
  await store.change({ "http.port": null, "mqtt.port": null });
  t.equal(existsSync(proven), false, "nothing is pending any more");
  await store.change({ "http.port": 9002 });
  const next = openSettings({ env, argv: [] });
  await next.proved();
  t.equal(takeBack({ env, argv: [] }), false);
  t.equal(openSettings({ env, argv: [] }).current.http.port, 9002);

  await next.change({ "http.port": 9003 });
  t.equal(takeBack({ env, argv: [] }), true);
  const last = openSettings({ env, argv: [] });
  t.same([last.current.http.port, last.refused], [9002, ["http.port"]]);
});

t.test("an unreadable settings file: the hub starts with its last settings, and reports it", async (t) => {
  const harms: Record<string, (file: string) => void> = {
    "a folder": (file) => mkdirSync(join(file, "within"), { recursive: true }),
    // as on a disk with a bad inode: neither there nor missing
    "an error": (file) => symlinkSync(file, file),
    "no JSON": (file) => writeFileSync(file, "\u0000".repeat(100)),
  };
  const folder = testFolder(t);
  const file = join(folder, "gatehouse.json");
  writeFileSync(file, JSON.stringify({ mqtt: { topicRoot: "house" } }));
  const first = await startHubProcess(folder);
  const person = new Person(first.url);
  await person.claim(first.claimCode ?? "");
  t.equal((await person.call("PATCH", "/api/settings", { settings: { "plates.imageRetentionDays": 7 } })).status, 200);
  await first.stop();
  for (const [name, harm] of Object.entries(harms)) {
    rmSync(file, { recursive: true });
    rmSync(`${file}.unusable`, { recursive: true, force: true });
    harm(file);
    const hub = await startHubProcess(folder);
    t.teardown(() => hub.kill());
    t.match(hub.output(), /settings file cannot be read/, name);
    const owner = new Person(hub.url);
    await owner.call("POST", "/api/session", { email: "asha@example.org", password: "correct horse battery staple" });
    const settingOf = async (key: string): Promise<unknown> => {
      const { body } = await owner.call<{ settings: { key: string; value: unknown }[] }>("GET", "/api/settings");
      return body.settings.find((setting) => setting.key === key)?.value;
    };
    const level = async (): Promise<string | undefined> => {
      const { checks } = (await (await fetch(`${hub.url}/healthz`)).json()) as {
        checks: { code: string; level: string }[];
      };
      return checks.find(({ code }) => code === "settings")?.level;
    };
    t.equal(await settingOf("mqtt.topicRoot"), "house", "devices find their topics");
    t.equal(await settingOf("plates.imageRetentionDays"), 7, "settings that took effect at once were stored as well");
    t.equal(await level(), "degraded");
    t.equal((await owner.call("PATCH", "/api/settings", { settings: { "site.name": name } })).status, 200);
    t.equal(await level(), "ok");
    t.match(JSON.parse(readFileSync(file, "utf8")), {
      mqtt: { topicRoot: "house" },
      plates: { imageRetentionDays: 7 },
    });
    t.equal(await hub.stop(), 0);
  }
});

t.test("an unreadable settings file on a hub that has not started before: the defaults", async (t) => {
  const folder = testFolder(t, { "gatehouse.json": {} });
  const store = openSettings({ env: { GATEHOUSE_DATA: folder }, argv: [] });
  t.same([store.current.mqtt.topicRoot, store.unusable], ["gatehouse", "folder"]);
  await store.change({ "http.port": 9000 });
  t.equal(store.unusable, null);
  t.equal(openSettings({ env: { GATEHOUSE_DATA: folder }, argv: [] }).current.http.port, 9000);
});
