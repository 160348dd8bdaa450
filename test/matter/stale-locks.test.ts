import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { removeStaleLocks } from "../../src/features/matter/stale-locks.ts";
import { testFolder } from "../support/test-folder.ts";

t.test("a lock whose owner has ended, or whose pid belongs to another process, is removed", async (t) => {
  const folder = testFolder(t, {
    bridge: { "matter.lock": "", "matter.pid": `${process.ppid} 0123456789abcdef`, "fabrics.json": "{}" },
    controller: { "matter.lock": "", "matter.pid": "4194304 0123456789abcdef" },
    empty: {},
  });
  await removeStaleLocks(folder, "matter-process.js");
  for (const part of ["bridge", "controller"])
    for (const name of ["matter.lock", "matter.pid"]) t.notOk(existsSync(join(folder, part, name)), `${part}/${name}`);
  t.ok(existsSync(join(folder, "bridge", "fabrics.json")), "nothing else goes");
  await removeStaleLocks(join(folder, "nowhere"), "matter-process.js");
});

t.test("an owner about to end is waited for", async (t) => {
  const folder = testFolder(t, { "matter-process.js": "setTimeout(() => {}, 700); process.stdout.write('up');" });
  const owner = spawn(process.execPath, [join(folder, "matter-process.js")], { stdio: ["ignore", "pipe", "inherit"] });
  await once(owner.stdout, "data");
  const storage = testFolder(t, { bridge: { "matter.lock": "", "matter.pid": `${owner.pid} 0123456789abcdef` } });
  await removeStaleLocks(storage, "matter-process.js");
  // empty once it has ended, also before this process has been told
  const command = await readFile(`/proc/${owner.pid}/cmdline`, "utf8").catch(() => "");
  t.equal(command, "", "it has ended");
  t.notOk(existsSync(join(storage, "bridge", "matter.lock")));
});
