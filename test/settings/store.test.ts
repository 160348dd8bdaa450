import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { openSettings } from "../../src/core/settings/store.ts";
import { testFolder } from "../support/test-folder.ts";

t.test("the file is the one in the data folder, unless another is named", async (t) => {
  const folder = testFolder(t, { "gatehouse.json": '{"http":{"port":81}}', "other.json": '{"http":{"port":82}}' });
  t.equal(openSettings({ env: { GATEHOUSE_DATA: folder }, argv: [] }).current.http.port, 81);
  t.equal(
    openSettings({ env: { GATEHOUSE_DATA: folder, GATEHOUSE_CONFIG: join(folder, "other.json") }, argv: [] }).current
      .http.port,
    82,
  );
  t.equal(openSettings({ env: {}, argv: [`--storage.folder=${folder}`] }).current.http.port, 81);
  t.throws(() => openSettings({ env: { GATEHOUSE_CONFIG: join(folder, "none.json") }, argv: [] }), {
    name: /^SettingsError$/,
    message: /there is no file/,
  });
});

t.test("the file in the data folder cannot move the data folder", async (t) => {
  const folder = testFolder(t, { "gatehouse.json": '{"storage":{"folder":"/elsewhere"}}' });
  t.throws(() => openSettings({ env: { GATEHOUSE_DATA: folder }, argv: [] }), {
    name: /^SettingsError$/,
    message: /GATEHOUSE_DATA/,
  });
});

t.test("a change is saved, takes effect at once if it can, and reports what waits for a restart", async (t) => {
  const folder = testFolder(t);
  const env = { GATEHOUSE_DATA: folder };
  const store = openSettings({ env, argv: [] });
  t.same(await store.change({ "plates.imageRetentionDays": 7, "http.port": 9000 }), ["http.port"]);
  t.equal(store.current.plates.imageRetentionDays, 7);
  t.equal(store.current.http.port, 8080);
  const port = store.describe().find((view) => view.key === "http.port");
  t.match(port, { value: 8080, saved: 9000, source: "file", changeable: true, restart: true });
  const restarted = openSettings({ env, argv: [] });
  t.same([restarted.current.http.port, restarted.current.plates.imageRetentionDays], [9000, 7]);
  t.same(await restarted.change({ "http.port": null }), ["http.port"]);
  t.same(JSON.parse(readFileSync(join(folder, "gatehouse.json"), "utf8")), {
    plates: { imageRetentionDays: 7 },
    http: {},
  });
});

t.test("new places for backups and updates count at once", async (t) => {
  const store = openSettings({ env: { GATEHOUSE_DATA: testFolder(t) }, argv: [] });
  const places = { "backups.destinations": ["folder:/mnt/nas"], "updates.sources": ["usb:UPDATE"] };
  t.same(await store.change(places), [], "nothing waits for a restart");
  t.same([store.current.backups.destinations, store.current.updates.sources], Object.values(places));
});

t.test("a wrong change is refused by name and saves nothing", async (t) => {
  const folder = testFolder(t);
  const store = openSettings({ env: { GATEHOUSE_DATA: folder, GATEHOUSE_MQTT_PORT: "1884" }, argv: [] });
  await t.rejects(store.change({ "http.port": 70_000 }), {
    code: /^invalid_setting$/,
    details: [{ field: /^\/settings\/http\.port$/ }],
  });
  await t.rejects(store.change({ "http.prot": 1 }), {
    code: /^invalid_setting$/,
    message: "http.prot is not a setting.",
  });
  await t.rejects(store.change({ "plates.readRetentionDays": 10 }), { code: /^invalid_setting$/ });
  await t.rejects(store.change({ "mqtt.port": 1885 }), { code: /^conflict$/, message: /environment/ });
  await t.rejects(store.change({ "storage.folder": "/x" }), { code: /^conflict$/ });
  t.notOk(existsSync(join(folder, "gatehouse.json")));
});

t.test("a damaged file is reported by its error", async (t) => {
  const folder = testFolder(t);
  writeFileSync(join(folder, "gatehouse.json"), "{");
  t.throws(() => openSettings({ env: { GATEHOUSE_DATA: folder }, argv: [] }), {
    name: /^SettingsError$/,
    message: /not valid JSON/,
  });
});

t.test("an empty file, left by a torn write, is one without settings", async (t) => {
  const folder = testFolder(t);
  writeFileSync(join(folder, "gatehouse.json"), "");
  const store = openSettings({ env: { GATEHOUSE_DATA: folder }, argv: [] });
  t.equal(store.current.http.port, 8080);
  t.same(await store.change({ "plates.imageRetentionDays": 7 }), []);
  t.same(JSON.parse(readFileSync(join(folder, "gatehouse.json"), "utf8")), { plates: { imageRetentionDays: 7 } });
});

t.test("a change that the disk refuses is refused with the reason, and does not take effect", async (t) => {
  const folder = testFolder(t);
  const store = openSettings({ env: { GATEHOUSE_DATA: folder }, argv: [] });
  mkdirSync(join(folder, "gatehouse.json.new")); // no draft can be written
  await t.rejects(store.change({ "plates.imageRetentionDays": 7 }), { code: /^unavailable$/, message: /EISDIR/ });
  t.equal(store.describe().find(({ key }) => key === "plates.imageRetentionDays")?.source, "default");
  rmdirSync(join(folder, "gatehouse.json.new"));
  t.same(await store.change({ "plates.imageRetentionDays": 7 }), []);
});
