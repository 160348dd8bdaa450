import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

/** A host with a program that records its calls; `works` false: it refuses everything. */
function box(t: Test, works = true) {
  const folder = testFolder(t, {
    boot: {},
    data: { "gatehouse.db": "all", plates: { "1.jpg": "x" } },
    program: { bin: {} },
    hooks: {},
  });
  const node = join(folder, "program/bin/node");
  writeFileSync(
    node,
    `#!/bin/sh\nshift\necho "$@ <$(cat)>" >> "${folder}/calls"\n${works ? 'echo "made-up-password"' : 'echo "It is refused." >&2; exit 1'}\n`,
  );
  chmodSync(node, 0o755);
  const hook = join(folder, "hooks/50-network");
  writeFileSync(hook, `#!/bin/sh\necho hook >> "${folder}/calls"\n`);
  chmodSync(hook, 0o755);
  const put = (name: string, text = ""): void => writeFileSync(join(folder, "boot", name), text);
  const run = (): { status: number | null; out: string; calls: string; boot: string[] } => {
    const env = {
      PATH: process.env.PATH ?? "",
      GATEHOUSE_BOOT_FOLDER: join(folder, "boot"),
      GATEHOUSE_DATA: join(folder, "data"),
      GATEHOUSE_PROGRAM: join(folder, "program"),
      GATEHOUSE_RESET_HOOKS: join(folder, "hooks"),
      GATEHOUSE_USER: process.env.USER ?? "root",
    };
    const { status, stdout, stderr } = spawnSync("sh", [join(PROJECT_ROOT, "systemd/libexec/gatehouse-boot")], {
      env,
      encoding: "utf8",
    });
    const calls = existsSync(join(folder, "calls")) ? readFileSync(join(folder, "calls"), "utf8") : "";
    return { status, out: stdout + stderr, calls, boot: readdirSync(join(folder, "boot")) };
  };
  return { folder, put, run };
}

t.test("without a file nothing happens", async (t) => {
  const { run, put } = box(t);
  put("config.txt", "arm_64bit=1");
  t.match(run(), { status: 0, calls: "", boot: ["config.txt"] });
});

t.test("factory reset: everything of the hub is removed, once; the host's own part is called", async (t) => {
  const { run, put, folder } = box(t);
  put("GATEHOUSE-FACTORY-RESET.TXT");
  t.match(run(), { status: 0, out: /starts as new/, calls: "hook\n", boot: [] });
  t.same(readdirSync(join(folder, "data")), []);
  writeFileSync(join(folder, "data/gatehouse.db"), "new");
  run();
  t.ok(existsSync(join(folder, "data/gatehouse.db")), "once");
});

t.test("a factory reset interrupted by a power cut is finished", async (t) => {
  const { run, folder } = box(t);
  writeFileSync(join(folder, "data/.factory-reset"), "");
  run();
  t.same(readdirSync(join(folder, "data")), []);
});

t.test("owner reset: with the given password, or with a generated one written beside", async (t) => {
  const { run, put, folder } = box(t);
  put("gatehouse-reset-owner.txt", "a pass phrase of my own\r\n");
  t.match(run(), { status: 0, calls: /reset-owner --password-stdin <a pass phrase of my own>/, boot: [] });
  put("gatehouse-reset-owner");
  t.match(run(), { calls: /reset-owner <>/, boot: ["gatehouse-new-password.txt"] });
  t.match(readFileSync(join(folder, "boot/gatehouse-new-password.txt"), "utf8"), /made-up-password/);
});

t.test("restore: with its passphrase; the backup is never deleted, the passphrase is", async (t) => {
  const { run, put, folder } = box(t, false);
  mkdirSync(join(folder, "kept"));
  put("gatehouse-restore.db.gz.age", "the only backup");
  put("gatehouse-restore-passphrase.txt", "my passphrase\n");
  const { calls, out, boot } = run();
  t.match(calls, /restore \S+ --passphrase-stdin <my passphrase>/);
  t.match(out, /not restored: It is refused/);
  t.same(boot.sort(), ["gatehouse-restore-result.txt", "used-gatehouse-restore.db.gz.age"]);
  t.equal(readFileSync(join(folder, "boot/used-gatehouse-restore.db.gz.age"), "utf8"), "the only backup");
});
