/**
 * `gatehouse doctor` sees what the next start meets: the same damage is done to two copies of a household, a hub starts
 * on one, doctor examines the other.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { gatehouse } from "../support/cli.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { startHubProcess, testEnvironment } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

interface Check {
  readonly code: string;
  readonly level: string;
  readonly text: string;
}

const ENV = {
  GATEHOUSE_TLS: "own",
  GATEHOUSE_PLAIN_HTTP: "open",
  GATEHOUSE_RECOGNITION: "false",
  GATEHOUSE_STORAGE_MIN_FREE_MB: "1",
};
/** All small files that a start reads. */
const FILES = [
  "hub.key",
  "authority.copy",
  "claim-code",
  "clock.json",
  "gatehouse.json.last",
  "owned",
  "restore-ready/plan.json",
  "revoked.json",
  "tls/authority.key",
  "tls/beginning.json",
];

/** A household whose hub was stopped cleanly. */
async function household(): Promise<string> {
  const data = join(testFolder(t), "template");
  await gatehouse(data, ["provision", "-"], {
    input: JSON.stringify({ account: { email: "asha@example.org", password: "correct horse battery staple" } }),
  });
  const hub = await startHubProcess(data, ENV);
  await hub.stop();
  return data;
}

const template = await household();

async function started(data: string): Promise<Check[]> {
  const hub = await startHubProcess(data, ENV);
  const { checks } = (await (await fetch(`${hub.url}/healthz`)).json()) as { checks: Check[] }; // our own response
  await hub.stop();
  return [...checks, { code: "log", level: "ok", text: hub.output() }];
}

async function examined(data: string, env: Record<string, string> = {}): Promise<Check[]> {
  const { out } = await gatehouse(data, ["doctor", "--json"], { env: { ...testEnvironment(data), ...ENV, ...env } });
  return (JSON.parse(out) as { checks: Check[] }).checks; // our own response
}

/** `hub.key (pipe)` in any sentence. */
function namesIn(checks: readonly Check[]): string[] {
  const text = checks.find(({ code }) => code === "files")?.text ?? "";
  return [...text.matchAll(/([\w./-]+) \([\w ]+\)/g)].map(([, name = ""]) => name).sort();
}

t.test("both name the same files", async (t) => {
  const harms: Record<string, (file: string) => void> = {
    sound: () => {},
    garbage: (file) => writeFileSync(file, "\u0001{ not ours"),
    folder: (file) => mkdirSync(file),
    pipe: (file) => execFileSync("mkfifo", [file]),
    "a link": (file) => symlinkSync(`${file}.gone`, file),
  };
  for (const [harm, make] of Object.entries(harms)) {
    const [one, other] = ["one", "other"].map((name) => {
      const copy = join(dirname(template), `${name}-${harm.replaceAll(" ", "-")}`);
      cpSync(template, copy, { recursive: true });
      if (harm !== "sound")
        for (const file of FILES) {
          mkdirSync(dirname(join(copy, file)), { recursive: true });
          rmSync(join(copy, file), { force: true });
          make(join(copy, file));
        }
      return copy;
    });
    const start = namesIn(await started(one ?? ""));
    const doctor = namesIn(await examined(other ?? ""));
    t.same(doctor, start, harm);
    if (harm === "sound") t.same(start, []);
    else t.ok(start.length >= 6, `${harm}: ${start.join(" ")}`);
  }
  for (const make of [harms.folder, harms.garbage]) {
    const copy = join(dirname(template), "to-repair");
    rmSync(copy, { recursive: true, force: true });
    cpSync(template, copy, { recursive: true });
    const lost = ["hub.key", "clock.json", "revoked.json", "restore-ready/plan.json", "tls/authority.key"];
    for (const file of lost) {
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      rmSync(join(copy, file), { force: true });
      make?.(join(copy, file));
    }
    t.equal(namesIn(await examined(copy)).length, lost.length);
    const repaired = await gatehouse(copy, ["doctor", "--repair"], { env: { ...testEnvironment(copy), ...ENV } });
    t.equal(repaired.code, 0, repaired.out);
    t.same(namesIn(await examined(copy)), [], "what has a copy was restored, and what is not needed was moved away");
    t.equal(readFileSync(join(copy, "hub.key"), "utf8"), readFileSync(join(template, "hub.key"), "utf8"));
  }
});

t.test("both notice a key and an authority that differ from their copies", async (t) => {
  const foreign = join(dirname(template), "foreign");
  cpSync(template, foreign, { recursive: true });
  for (const name of ["hub.key", "hub.key.copy", "authority.copy"]) rmSync(join(foreign, name));
  rmSync(join(foreign, "tls"), { recursive: true });
  await started(foreign); // makes others
  for (const [harm, apply] of [
    ["the key", (data: string) => cpSync(join(foreign, "hub.key"), join(data, "hub.key"))],
    ["its copy", (data: string) => cpSync(join(foreign, "hub.key"), join(data, "hub.key.copy"))],
    ["the authority's copy", (data: string) => cpSync(join(foreign, "authority.copy"), join(data, "authority.copy"))],
  ] as const) {
    const about = harm === "the authority's copy" ? "authority" : "hub.key";
    const copies = ["one", "other"].map((name) => {
      const copy = join(dirname(template), `${name}-${harm.replaceAll(/\W/g, "-")}`);
      cpSync(template, copy, { recursive: true });
      apply(copy);
      return copy;
    });
    const key = readFileSync(join(template, "hub.key"), "utf8");
    t.same(namesIn(await examined(copies[1] ?? "")), [about === "hub.key" ? about : "tls/authority"], harm);
    const found = namesIn(await started(copies[0] ?? ""));
    t.ok(
      found.some((name) => name.startsWith(about)),
      `${harm}: ${found.join(" ")}`,
    );
    for (const name of ["hub.key", "hub.key.copy"])
      t.equal(readFileSync(join(copies[0] ?? "", name), "utf8"), key, `${harm}: the verified one is in both`);
  }
  const copy = join(dirname(template), "foreign-key");
  cpSync(template, copy, { recursive: true });
  for (const name of ["hub.key", "hub.key.copy"]) cpSync(join(foreign, "hub.key"), join(copy, name));
  t.match(
    (await examined(copy)).find(({ code }) => code === "files"),
    { level: "failed", text: /not the key with which/ },
  );
  t.match(
    (await started(copy)).find(({ code }) => code === "files"),
    { level: "degraded", text: /not the key with which/ },
  );
});

t.test("doctor reports the database's faults before a start does", async (t) => {
  const inDatabase =
    (change: (raw: SqliteDatabase.Database) => void) =>
    (data: string): void => {
      const raw = new SqliteDatabase(join(data, "gatehouse.db"));
      raw.pragma("foreign_keys = OFF");
      change(raw);
      raw.close();
    };
  for (const [harm, apply, says] of [
    ["the version is another", inDatabase((raw) => raw.pragma("user_version = 3")), /mended/],
    ["the version is far ahead", inDatabase((raw) => raw.pragma("user_version = 9999")), /mended/],
    ["the account is gone", inDatabase((raw) => raw.exec("DELETE FROM account")), /The database is damaged/],
    ["the database is gone", (data: string) => rmSync(join(data, "gatehouse.db")), /The database is damaged/],
    ["it is none", (data: string) => writeFileSync(join(data, "gatehouse.db"), "not ours"), /The database is damaged/],
  ] as const) {
    const copies = ["one", "other"].map((name) => {
      const copy = join(dirname(template), `${name}-${harm.replaceAll(" ", "-")}`);
      cpSync(template, copy, { recursive: true });
      apply(copy);
      return copy;
    });
    t.equal((await examined(copies[1] ?? "")).find(({ code }) => code === "database")?.level, "failed", harm);
    t.ok(
      (await started(copies[0] ?? "")).some(({ text }) => says.test(text)),
      `${harm}: the start reports it`,
    );
  }
});

t.test("too few open files are reported in words", async (t) => {
  const folder = testFolder(t);
  const main = join(PROJECT_ROOT, "build-hub/src/main.js");
  const errors: string[] = [];
  for (const limit of [24, 26, 28]) {
    const { status, stderr } = spawnSync("sh", ["-c", `ulimit -n ${limit}; exec "${process.execPath}" "${main}"`], {
      env: { PATH: process.env.PATH ?? "", ...testEnvironment(join(folder, String(limit))) },
      encoding: "utf8",
      timeout: 20_000, // with enough of them it serves
    });
    if (status === 1) errors.push(stderr);
  }
  t.ok(errors.length > 0, "one of these limits is reached during the start, and not in Node itself");
  for (const text of errors) t.match(text, /may not open more files \(EMFILE\).*LimitNOFILE/);
});

t.test("every reason that keeps a hub from starting has a check of the same name", async (t) => {
  const codes = (await examined(template)).map(({ code }) => code);
  const blocker = createServer().listen(0, "127.0.0.1");
  t.teardown(() => blocker.close());
  await new Promise((resolve) => blocker.once("listening", resolve));
  const address = blocker.address();
  const port = String(typeof address === "object" && address !== null ? address.port : 0);
  const newer = join(dirname(template), "newer");
  cpSync(template, newer, { recursive: true });
  const raw = new SqliteDatabase(join(newer, "gatehouse.db"));
  raw.pragma("user_version = 9999");
  raw.exec("DELETE FROM hub WHERE key = 'schema'"); // with it, that is a flipped bit
  raw.close();
  for (const [check, data, env, words, exit] of [
    ["ports", template, { GATEHOUSE_HTTP_PORT: port }, /http\.port.*another program listens there/, 1],
    ["database", newer, {}, /newer Gatehouse/, 78],
    ["configuration", template, { GATEHOUSE_LOG_LEVEL: "loud" }, /log\.level/, 78],
  ] as const) {
    const refused: unknown = await startHubProcess(data, { ...ENV, ...env }).catch((error: unknown) => error);
    t.match(String(refused), words, check);
    t.match(String(refused), `ended with ${exit}`);
    t.notMatch(String(refused), /\n\s+at .*:\d+:\d+/, "a sentence");
    t.equal((await examined(data, env)).find(({ code }) => code === check)?.level, "failed", check);
  }
  for (const code of ["configuration", "data-folder", "disk", "database", "files", "modules", "ports", "encryption"])
    t.ok(codes.includes(code), code);
});
