import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { gatehouse } from "../support/cli.ts";
import { startConsoleHub } from "../support/console-hub.ts";
import { testFolder } from "../support/test-folder.ts";

type Level = "ok" | "warning" | "failed";
const ENV = {
  GATEHOUSE_HTTP_PORT: "0",
  GATEHOUSE_MQTT_PORT: "0",
  GATEHOUSE_TLS: "off",
  GATEHOUSE_HOST: "127.0.0.1",
  GATEHOUSE_STORAGE_MIN_FREE_MB: "1",
};

async function examine(
  folder: string,
  env: Record<string, string> = {},
): Promise<{ code: number; levels: Record<string, Level>; texts: Record<string, string> }> {
  const { code, out } = await gatehouse(folder, ["doctor", "--json"], { env: { ...ENV, ...env } });
  const { checks } = JSON.parse(out) as { checks: { code: string; level: Level; text: string }[] };
  return {
    code,
    levels: Object.fromEntries(checks.map((check) => [check.code, check.level])),
    texts: Object.fromEntries(checks.map((check) => [check.code, check.text])),
  };
}

t.test("a folder that was never started has no findings", async (t) => {
  const { code, levels } = await examine(join(testFolder(t), "data"));
  t.equal(code, 0);
  t.match(levels, {
    configuration: "ok",
    node: "ok",
    "data-folder": "warning",
    database: "warning",
    ports: "ok",
    disk: "ok",
    clock: "ok",
  });
});

t.test("a running hub is recognised", async (t) => {
  const { dataFolder } = await startConsoleHub(t);
  const { code, levels, texts } = await examine(dataFolder);
  t.equal(code, 0);
  t.match(texts, { hub: "Runs.", ports: /The hub runs and holds them/ });
  t.equal(levels.database, "ok");
});

t.test("findings are named with a remedy", async (t) => {
  const folder = testFolder(t);
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, "gatehouse.db"), "this is no database, whatever its name says");
  const blocker = createServer();
  await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
  t.teardown(() => blocker.close());
  const port = String((blocker.address() as AddressInfo).port); // listening on TCP
  const { code, levels, texts } = await examine(folder, {
    GATEHOUSE_HTTP_PORT: port,
    GATEHOUSE_MODELS: folder,
    GATEHOUSE_STORAGE_MIN_FREE_MB: "999999999".slice(0, 6),
  });
  t.equal(code, 1);
  t.match(levels, { "data-folder": "warning", database: "failed", ports: "failed", models: "warning" });
  t.match(texts, {
    "data-folder": /chmod o-rx/,
    database: /restore a backup/,
    ports: new RegExp(`http port ${port}: another program uses it`),
    models: /Plates are not read/,
  });
});

t.test("a newer database and a wrong configuration are named", async (t) => {
  const folder = testFolder(t);
  const raw = new SqliteDatabase(join(folder, "gatehouse.db"));
  raw.pragma("user_version = 9999");
  raw.close();
  t.match((await examine(folder)).texts.database, /newer Gatehouse/);
  const { code, texts } = await examine(folder, { GATEHOUSE_LOG_LEVEL: "loud" });
  t.equal(code, 1);
  t.match(texts.configuration, /log.level/);
});

t.test("doctor sees what a start would meet, and --repair restores what has a copy", async (t) => {
  const data = join(testFolder(t), "data");
  await gatehouse(data, ["provision", "-"], {
    input: JSON.stringify({ account: { email: "asha@example.org", password: "correct horse battery staple" } }),
  });
  const env = { ...ENV, GATEHOUSE_TLS: "own" };
  t.equal((await gatehouse(data, ["doctor", "--repair"], { env })).code, 0);
  const key = readFileSync(join(data, "hub.key"));
  const authority = readFileSync(join(data, "tls/authority.key"), "utf8");
  const harm = (file: string): void => {
    const bytes = readFileSync(join(data, file));
    bytes.writeUInt8((bytes[40] ?? 0) ^ 4, 40);
    writeFileSync(join(data, file), bytes);
  };
  harm("hub.key");
  harm("tls/authority.key");
  const raw = new SqliteDatabase(join(data, "gatehouse.db"));
  raw.pragma("user_version = 3");
  raw.close();
  const { code, out } = await gatehouse(data, ["doctor"], { env });
  t.equal(code, 1);
  t.match(out, /FAIL files .*hub\.key .*tls\/authority/);
  t.match(out, /FAIL database .*the version was 3/);
  const repaired = await gatehouse(data, ["doctor", "--repair"], { env });
  t.equal(repaired.code, 0, repaired.out);
  t.match(repaired.err, /hub\.key .*copy took its place/);
  t.same(readFileSync(join(data, "hub.key")), key);
  t.equal(readFileSync(join(data, "tls/authority.key"), "utf8"), authority);
  await gatehouse(data, ["doctor", "--new-authority"], { env });
  await gatehouse(data, ["doctor", "--repair"], { env });
  t.not(readFileSync(join(data, "tls/authority.key"), "utf8"), authority, "a person requested it");
});
