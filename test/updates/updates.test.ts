import { execFileSync } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { type ApplyOptions, applyUpdate, resumeAtBoot } from "../../src/features/updates/apply.ts";
import { readState } from "../../src/features/updates/state.ts";
import { slotStrategy, versionsStrategy } from "../../src/features/updates/strategies.ts";
import { Updates } from "../../src/features/updates/updates.ts";
import { type DoUpdateWork, updateWorkInThread } from "../../src/features/updates/work.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const untrusted = generateKeyPairSync("ed25519");
const PEM = { type: "spki", format: "pem" } as const;
const bundleScript = (await import(join(PROJECT_ROOT, "scripts/lib/bundle.mjs"))) as {
  writeBundle: (wishes: object) => Promise<void>;
}; // plain JavaScript

/** A host as install.sh makes one, with version 1.0.0 and no real service behind it. */
class Box {
  readonly root: string;
  readonly clock = new FakeClock();
  readonly commands: string[] = [];
  /** The output of `systemctl show` for the hub, by the version that the link names. */
  service: (version: string, asked: number) => string = () => "ActiveState=active\nResult=success\nNRestarts=0\n";
  /** What happens when time passes. */
  onWait: () => void = () => {};
  #asked = 0;

  constructor(root: string) {
    this.root = root;
    for (const folder of ["program/versions", "units", "data/requests", "state", "keys", "media"])
      mkdirSync(join(root, folder), { recursive: true });
    for (const [name, key] of [
      ["key", privateKey],
      ["stranger", untrusted.privateKey],
    ] as const)
      writeFileSync(join(root, "keys", name), key.export({ type: "pkcs8", format: "pem" }));
    this.makeVersion(join(root, "program/versions/1.0.0"), "1.0.0", 1);
    execFileSync("ln", ["-s", "versions/1.0.0", join(root, "program/current")]);
  }

  get version(): string {
    return readlinkSync(join(this.root, "program/current")).replace("versions/", "");
  }

  get state() {
    return readState(join(this.root, "state"));
  }

  makeVersion(folder: string, version: string, migrations: number): void {
    for (const path of ["bin", "build/src", "systemd", "src/core/storage/migrations"])
      mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, "bin/node"), "");
    writeFileSync(join(folder, "build/src/main.js"), "");
    writeFileSync(join(folder, "systemd/gatehouse.service"), `# ${version}\n`);
    for (let n = 1; n <= migrations; n++)
      writeFileSync(join(folder, `src/core/storage/migrations/${String(n).padStart(4, "0")}-x.sql`), "");
  }

  /** A bundle on the stick. */
  async bundle(
    version: string,
    options: { key?: string; migrations?: number; arch?: string; kind?: string } = {},
  ): Promise<string> {
    const { key = "key", migrations = 2, arch = "amd64", kind = "versions" } = options;
    const tree = join(this.root, `tree-${version}`);
    this.makeVersion(tree, version, migrations);
    writeFileSync(join(tree, "filler"), randomBytes(40_000));
    const payload = join(this.root, "payload.tar.gz");
    execFileSync("tar", ["-czf", payload, "-C", tree, "."]);
    const out = join(this.root, `media/gatehouse-${version}-linux-${arch}.tar`);
    const files =
      kind === "slot"
        ? ["root.img", "boot.tar"].map((name) => ({ name, path: payload }))
        : [{ name: "payload.tar.gz", path: payload }];
    await bundleScript.writeBundle({
      out,
      keyFile: join(this.root, "keys", key),
      kind,
      version,
      arch,
      builtAt: 1_700_000_000_000,
      databaseVersion: migrations,
      files,
    });
    return out;
  }

  hub(
    version = this.version,
    kind: "versions" | "slot" = "versions",
    doWork: DoUpdateWork = updateWorkInThread,
  ): Updates {
    return new Updates({
      version,
      dataFolder: join(this.root, "data"),
      projectFolder: join(this.root, "program/versions", version),
      stateFolder: join(this.root, "state"),
      arch: "amd64",
      kind,
      keys: () => [publicKey.export(PEM).toString()],
      folders: () => [join(this.root, "media"), join(this.root, "away")],
      doWork,
      healthy: () => true,
      clock: this.clock,
      logger: silentLogger,
    });
  }

  apply(kind: "versions" | "slot" = "versions"): ApplyOptions {
    const { root, clock } = this;
    const run = (command: string, args: readonly string[]): string => {
      if (command === "systemctl" && args[0] === "show") return this.service(this.version, this.#asked++);
      if (command === "systemctl" || command.endsWith("slots")) {
        this.commands.push([command, ...args].join(" ").replaceAll(`${root}/`, ""));
        return "";
      }
      return execFileSync(command, args, { encoding: "utf8" });
    };
    const work = join(root, "state/incoming");
    return {
      stateFolder: join(root, "state"),
      dataFolder: join(root, "data"),
      work,
      arch: "amd64",
      keys: () => [publicKey.export(PEM).toString()],
      strategy:
        kind === "slot"
          ? slotStrategy({ tool: join(root, "slots"), work, version: "1.0.0", run })
          : versionsStrategy({
              program: join(root, "program"),
              units: join(root, "units"),
              dataFolder: join(root, "data"),
              work,
              clock,
              run,
            }),
      run,
      say: () => {},
      clock,
      wait: async (ms) => {
        clock.advance(ms);
        await new Promise((resolve) => setTimeout(resolve, 5)); // the hub writes its files meanwhile
        this.onWait();
      },
    };
  }

  database(version: number, rows: readonly string[], name = "gatehouse.db"): void {
    const raw = new SqliteDatabase(join(this.root, "data", name));
    raw.exec("CREATE TABLE IF NOT EXISTS t (x TEXT)");
    for (const row of rows) raw.prepare("INSERT INTO t VALUES (?)").run(row);
    raw.pragma(`user_version = ${version}`);
    raw.close();
  }

  rows(): unknown[] {
    const raw = new SqliteDatabase(join(this.root, "data/gatehouse.db"), { readonly: true });
    const rows = raw.prepare("SELECT x FROM t").pluck().all();
    raw.close();
    return rows;
  }
}

t.test("a good update is installed beside the old one, is on trial for two minutes, and stays", async (t) => {
  const box = new Box(testFolder(t));
  const file = await box.bundle("1.1.0");
  const old = box.hub();
  t.match(await old.found(), [{ file, version: "1.1.0", fits: true }]);
  await old.install(file);
  t.equal(old.state().phase, "waiting");
  await t.rejects(old.install(file), { code: /^conflict$/, message: /under way/ });

  // The new version's hub, as the system starts it.
  let started: Updates | null = null;
  let provedAfter = 0;
  const begun = box.clock.mono();
  box.onWait = () => {
    if (started === null) {
      started = box.hub("1.1.0");
      void started.start();
    }
    if (existsSync(join(box.root, "data/requests/healthy")) && provedAfter === 0)
      provedAfter = box.clock.mono() - begun;
  };
  await applyUpdate(box.apply());
  t.equal(box.version, "1.1.0");
  t.match(box.state, { phase: /^committed$/, version: "1.1.0", from: "1.0.0" });
  t.ok(provedAfter >= 120_000, `after ${provedAfter} ms`);
  t.equal(readFileSync(join(box.root, "units/gatehouse.service"), "utf8"), "# 1.1.0\n");
  t.same(box.commands, ["systemctl daemon-reload", "systemctl restart --no-block gatehouse.service"]);
  t.notOk(existsSync(join(box.root, "state/trial")), "nothing is in progress");
  t.notOk(existsSync(join(box.root, "data/requests/bundle.tar")), "the bundle is gone");
  t.ok(box.hub().canRollBack);
});

t.test("a version that crashes at its start is abandoned; the old one gets a database that it can read", async (t) => {
  const box = new Box(testFolder(t));
  box.database(1, ["before"]);
  await box.hub().install(await box.bundle("1.1.0"));
  box.onWait = () => {
    if (existsSync(join(box.root, "data/gatehouse.db.before-v2"))) return;
    box.database(1, ["before"], "gatehouse.db.before-v2"); // as the migration does
    box.database(2, ["recorded by the new version"]);
  };
  box.service = (version, asked) =>
    `ActiveState=activating\nResult=exit-code\nNRestarts=${version === "1.1.0" ? asked : 0}\n`;
  const { phase, text } = await applyUpdate(box.apply());
  t.equal(phase, "rolled-back");
  t.match(
    text,
    /1\.1\.0 was given up, because it crashed 3 times\. 1\.0\.0 runs again\. The database is the one from before the update/,
  );
  t.equal(box.version, "1.0.0");
  t.same(box.rows(), ["before"]);
  t.equal(readFileSync(join(box.root, "units/gatehouse.service"), "utf8"), "# 1.0.0\n");
  t.same(box.commands.slice(-4), [
    "systemctl stop gatehouse.service",
    "systemctl daemon-reload",
    "systemctl reset-failed gatehouse.service",
    "systemctl start --no-block gatehouse.service",
  ]);
});

t.test("without a change of the schema, going back loses nothing", async (t) => {
  const box = new Box(testFolder(t));
  box.database(1, ["before", "since"]);
  await box.hub().install(await box.bundle("1.1.0", { migrations: 1 }));
  box.service = () => "ActiveState=failed\nResult=exit-code\nNRestarts=0\n";
  t.match(await applyUpdate(box.apply()), { phase: /^rolled-back$/, text: /does not start.*No data was lost/ });
  t.same(box.rows(), ["before", "since"]);
});

t.test("a version that serves but is never healthy is abandoned after a quarter of an hour", async (t) => {
  const box = new Box(testFolder(t));
  await box.hub().install(await box.bundle("1.1.0"));
  t.match(await applyUpdate(box.apply()), { phase: /^rolled-back$/, text: /quarter of an hour/ });
  t.equal(box.version, "1.0.0");
});

t.test("an unsigned, foreign, truncated or changed bundle is refused before anything is touched", async (t) => {
  const box = new Box(testFolder(t));
  const hub = box.hub();
  await t.rejects(hub.install(await box.bundle("1.2.0", { key: "stranger" })), {
    code: /^forbidden$/,
    message: /not signed/,
  });
  await t.rejects(hub.install(await box.bundle("1.3.0", { arch: "arm64" })), {
    code: /^conflict$/,
    message: /for arm64/,
  });
  await t.rejects(hub.install(await box.bundle("1.3.1", { kind: "slot" })), {
    code: /^conflict$/,
    message: /card image/,
  });
  await t.rejects(hub.install(await box.bundle("1.0.0")), { code: /^conflict$/, message: /what runs/ });
  await t.rejects(hub.install(await box.bundle("0.9.9")), { code: /^conflict$/, message: /older than 1\.0\.0/ });
  await t.rejects(hub.install(await box.bundle("1.0.0-rc.9")), { code: /^conflict$/, message: /older/ });
  const cut = await box.bundle("1.4.0");
  truncateSync(cut, Math.floor(readFileSync(cut).length / 2));
  await t.rejects(hub.install(cut), { code: /^damaged_file$/, message: /cut off/ });
  const changed = await box.bundle("1.5.0");
  const bytes = readFileSync(changed);
  bytes[20_000] = (bytes[20_000] ?? 0) ^ 1;
  writeFileSync(changed, bytes);
  await t.rejects(hub.install(changed), { code: /^damaged_file$/, message: /payload.tar.gz is not what was signed/ });
  writeFileSync(join(box.root, "media/gatehouse-junk.tar"), "junk");
  t.match(
    (await hub.found()).find(({ file }) => file.endsWith("junk.tar")),
    { fits: false, text: "This is not an update of Gatehouse.", words: { code: /^update\.wrong$/ } },
  );
  t.equal(box.state.phase, "none");
  t.notOk(existsSync(join(box.root, "data/requests/update")));
});

t.test("root's part trusts nothing in the hub's folder", async (t) => {
  const box = new Box(testFolder(t));
  await box.hub().install(await box.bundle("1.1.0"));
  // The hub's process, under an attacker's control, exchanges the bundle after it was checked.
  writeFileSync(
    join(box.root, "data/requests/bundle.tar"),
    readFileSync(await box.bundle("6.6.6", { key: "stranger" })),
  );
  t.match(await applyUpdate(box.apply()), { phase: /^failed$/, text: /not signed.*Nothing was changed/ });
  t.equal(box.version, "1.0.0");
  t.same(box.commands, []);
});

t.test("a host switched off in the middle continues, or goes back, at its next starts", async (t) => {
  const box = new Box(testFolder(t));
  await box.hub().install(await box.bundle("1.1.0"));
  const cut = box.apply();
  await applyUpdate({ ...cut, wait: () => Promise.reject(new Error("power cut")) });
  writeFileSync(
    join(box.root, "state/state.json"),
    JSON.stringify({ phase: "trial", version: "1.1.0", from: "1.0.0", at: 1, text: "", boots: 0 }),
  );
  t.equal(box.version, "1.1.0");
  resumeAtBoot(box.apply());
  t.same(box.commands.slice(-1), ["systemctl start --no-block gatehouse-update.service"]);
  resumeAtBoot(box.apply());
  t.equal(box.state.boots, 2);
  resumeAtBoot(box.apply());
  t.match(box.state, { phase: /^rolled-back$/, text: /started three times/ });
  t.equal(box.version, "1.0.0");

  writeFileSync(
    join(box.root, "state/state.json"),
    JSON.stringify({ phase: "installing", from: "1.0.0", at: 1, text: "" }),
  );
  resumeAtBoot(box.apply());
  t.match(box.state, { phase: /^failed$/, text: /Nothing was changed/ });
});

t.test("a person goes back; the newer version's data is set aside", async (t) => {
  const box = new Box(testFolder(t));
  box.makeVersion(join(box.root, "program/versions/1.1.0"), "1.1.0", 2);
  execFileSync("ln", ["-sfn", "versions/1.1.0", join(box.root, "program/current")]);
  writeFileSync(
    join(box.root, "state/state.json"),
    JSON.stringify({ phase: "committed", version: "1.1.0", from: "1.0.0", at: 1, text: "", boots: 0 }),
  );
  box.database(2, ["new"]);
  box.database(1, ["old"], "gatehouse.db.before-v2");
  await box.hub().rollBack();
  t.match(await applyUpdate(box.apply()), { phase: /^rolled-back$/, text: /a person wanted.*kept aside/ });
  t.same(box.rows(), ["old"]);
  t.notOk(box.hub().canRollBack);
  await t.rejects(box.hub().rollBack(), { code: /^conflict$/ });
});

t.test("on a card image the idle slot is written and tried once; the state follows the slots", async (t) => {
  const box = new Box(testFolder(t));
  await box.hub("1.0.0", "slot").install(await box.bundle("2.0.0", { kind: "slot" }));
  await applyUpdate(box.apply("slot"));
  t.same(box.commands, [
    "slots write --root state/incoming/root.img --boot state/incoming/boot.tar",
    "slots try",
    "systemctl reboot",
  ]);
  t.equal(box.state.phase, "trial");
  resumeAtBoot(box.apply("slot")); // the host is back in the slot of 1.0.0
  t.match(box.state, { phase: /^rolled-back$/, text: /did not prove itself/ });
});

t.test("an unresponsive share hides no update on a stick, and delays no second search", async (t) => {
  const box = new Box(testFolder(t));
  const file = await box.bundle("1.1.0");
  let asked = 0;
  const doWork: DoUpdateWork = (order, signal) => {
    // The time of the searches is over once the stick has answered.
    if (order.kind !== "look" || !order.folder.endsWith("away"))
      return updateWorkInThread(order, signal).finally(() => setImmediate(() => box.clock.advance(5_000)));
    asked++;
    return new Promise(() => {}); // like a hard mount of NFS whose server is off
  };
  const hub = box.hub("1.0.0", "versions", doWork);
  t.match(await hub.found(), [{ file, fits: true }]);
  t.match(await hub.found(), [{ file, fits: true }]);
  t.equal(asked, 1, "it is not probed again while it hangs");
});
