import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { GOOD_PASSWORD } from "../support/access.ts";
import { gatehouse } from "../support/cli.ts";
import { startConsoleHub } from "../support/console-hub.ts";
import { testFolder } from "../support/test-folder.ts";

const DOCUMENT = JSON.stringify({
  account: { email: "owner@example.org", name: "Olga", password: GOOD_PASSWORD },
  devices: [{ id: "plug-1", name: "Kettle", type: "smart-plug", password: "secret-123" }],
  webhooks: [{ url: "http://192.168.1.20/hook", events: ["device.state"] }],
});

t.test("a backup restores a hub on another host, including secrets", async (t) => {
  const root = testFolder(t, { old: { "gatehouse.json": '{"log":{"level":"warn"}}' }, new: {} });
  const [old, fresh, file] = [join(root, "old"), join(root, "new"), join(root, "hub.backup")];
  const made = JSON.parse((await gatehouse(old, ["provision", "-"], { input: DOCUMENT })).out);
  const { code, err } = await gatehouse(old, ["backup", file]);
  t.equal(code, 0, err);
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.same(
    readdirSync(root).filter((name) => name.startsWith("hub.backup")),
    ["hub.backup"],
    "no drafts are left",
  );
  t.match(await gatehouse(old, ["backup", file]), { code: 1, err: /exists already/ });

  t.equal((await gatehouse(fresh, ["restore", file])).code, 0);
  const again = JSON.parse((await gatehouse(fresh, ["provision", "-"], { input: DOCUMENT })).out);
  t.hasStrict(
    again.webhooks,
    [{ id: made.webhooks[0].id, secret: made.webhooks[0].secret, change: "none" }],
    "the hub's key came along: the secret can be read",
  );
  t.equal(readFileSync(join(fresh, "gatehouse.json"), "utf8"), '{"log":{"level":"warn"}}');
  t.match(await gatehouse(fresh, ["doctor"]), { out: /ok +database/ });

  const restored = await gatehouse(fresh, ["restore", file, "--json"]);
  const { aside } = JSON.parse(restored.out);
  t.ok(existsSync(join(aside, "gatehouse.db")), "the previous data is set aside");
});

t.test("a running hub writes a backup, and refuses to be restored over", async (t) => {
  const { dataFolder } = await startConsoleHub(t);
  const file = join(dataFolder, "hub.backup");
  t.match(await gatehouse(dataFolder, ["backup", file, "--json"]), { code: 0, out: /"format": 2/ });
  t.match(await gatehouse(dataFolder, ["restore", file]), { code: 1, err: /The hub runs/ });
});

t.test("an invalid, damaged or newer backup changes nothing", async (t) => {
  const root = testFolder(t, { data: {}, junk: "junk" });
  const data = join(root, "data");
  t.match(await gatehouse(data, ["restore", join(root, "none")]), { code: 1, err: /There is no file/ });
  t.match(await gatehouse(data, ["restore", join(root, "junk")]), { code: 1, err: /not a backup/ });
  const plain = join(root, "plain.db");
  new SqliteDatabase(plain).exec("CREATE TABLE t (a)").close();
  t.match(await gatehouse(data, ["restore", plain]), { code: 1, err: /not a backup/ });
  t.same(readdirSync(data), ["gatehouse.lock"], "only the folder's lock, which is empty");

  await gatehouse(data, ["provision", "-"], { input: DOCUMENT });
  const file = join(root, "hub.backup");
  await gatehouse(data, ["backup", file]);
  const opened = join(root, "opened.db"); // an unpacked one is a backup too
  writeFileSync(opened, gunzipSync(readFileSync(file)));
  const newer = new SqliteDatabase(opened);
  newer.pragma("user_version = 9999");
  newer.close();
  t.match(await gatehouse(data, ["restore", opened]), { code: 1, err: /newer Gatehouse/ });
  const broken = Buffer.from(gunzipSync(readFileSync(file)));
  broken.fill(0xff, 8_192, 20_000);
  writeFileSync(join(root, "broken"), broken);
  t.match(await gatehouse(data, ["restore", join(root, "broken")]), { code: 1 });
  t.notOk(readdirSync(data).some((name) => name.startsWith("before-restore")));
});
