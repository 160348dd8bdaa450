import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { eventually, OWNER, Person, startHubProcess, startOwnedHub } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const SIGN_IN = { email: OWNER.email, password: OWNER.password };

/** A cleanly stopped, claimed hub's folder, with its database changed by `harm`. */
async function harmed(folder: string, harm: (raw: SqliteDatabase.Database) => void): Promise<string> {
  const { hub, owner } = await startOwnedHub(folder);
  await owner.call("POST", "/api/keys", { name: "App", env: "live", scopes: ["devices:read"] });
  t.equal(await hub.stop(), 0);
  const raw = new SqliteDatabase(join(folder, "gatehouse.db"));
  raw.pragma("foreign_keys = OFF");
  harm(raw);
  raw.close();
  return folder;
}

const storageText = async (url: string): Promise<string> => {
  const { body } = await new Person(url).call<{ checks: { code: string; level: string; text: string }[] }>(
    "GET",
    "/healthz",
  );
  const { level = "", text = "" } = body.checks.find(({ code }) => code === "storage") ?? {};
  return `${level}: ${text}`;
};

t.test("an API key without an account is set aside in the same start, and the hub serves and stores", async (t) => {
  const folder = await harmed(testFolder(t), (raw) => raw.prepare("UPDATE api_key SET account_id = 77").run());
  const hub = await startHubProcess(folder);
  t.match(hub.output(), /could not start from its database/);
  t.match(await storageText(hub.url), /degraded: .*api key/);
  t.equal((await new Person(hub.url).call("POST", "/api/session", SIGN_IN)).status, 200, "its owner signs in");
  t.equal(await hub.stop(), 0);
  const again = await startHubProcess(folder);
  t.notMatch(again.output(), /could not start from its database/, "the next start is an ordinary one");
  t.equal(await again.stop(), 0);
});

t.test("without the owner's account the hub serves what it knows, reports it, and stores nothing", async (t) => {
  const folder = await harmed(testFolder(t), (raw) => raw.prepare("DELETE FROM account").run());
  const hub = await startHubProcess(folder);
  t.match(await storageText(hub.url), /failed: The database is damaged/);
  t.equal(hub.claimCode, null, "it cannot be claimed");
  await eventually(async () => (await fetch(`${hub.url}/v1`)).ok);
  await hub.stop();
});

t.test("a database page zeroed after a clean stop does not end the start", async (t) => {
  const { readFileSync, writeFileSync } = await import("node:fs");
  const folder = await harmed(testFolder(t), () => {});
  const file = join(folder, "gatehouse.db");
  const raw = new SqliteDatabase(file, { readonly: true });
  const root = Number(raw.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'api_key'").pluck().get());
  raw.close();
  const bytes = readFileSync(file);
  bytes.fill(0, (root - 1) * 4_096, root * 4_096);
  writeFileSync(file, bytes);
  const hub = await startHubProcess(folder);
  t.match(await storageText(hub.url), /failed: The database is damaged/);
  t.equal((await new Person(hub.url).call("POST", "/api/session", SIGN_IN)).status, 200, "its owner signs in");
  await hub.stop();
});
