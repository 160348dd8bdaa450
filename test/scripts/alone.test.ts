/** Two commands that prepare the same folder at once: one waits for the other, and says so. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { eventually } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const ALONE = join(PROJECT_ROOT, "scripts/lib/alone.mjs");
/** Notes in `log` when its work begins and ends; works until the file `go` exists. */
const WORKER = `
  import { appendFileSync, existsSync } from "node:fs";
  const [alone, lock, log, go, name] = process.argv.slice(2);
  (await import(alone)).alone(lock, () => {
    appendFileSync(log, name + " begins\\n");
    while (!existsSync(go)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    appendFileSync(log, name + " ends\\n");
  });
`;

t.test("work under one lock", async (t) => {
  const folder = testFolder(t);
  const [lock, log, worker] = ["cache/preparing", "log", "worker.mjs"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(worker, WORKER);
  const lines = (): string[] => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  const start = (name: string) => {
    const child = spawn(process.execPath, [worker, ALONE, lock, log, join(folder, `go-${name}`), name]);
    t.teardown(() => child.kill("SIGKILL"));
    let said = "";
    child.stdout.on("data", (chunk) => (said += String(chunk)));
    child.stderr.on("data", (chunk) => (said += String(chunk)));
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    return { child, ended, said: () => said, go: () => writeFileSync(join(folder, `go-${name}`), "") };
  };

  const first = start("first");
  await eventually(() => lines().includes("first begins") || undefined);
  const second = start("second");
  await eventually(() => second.said() || undefined);
  t.equal(
    second.said(),
    `Another command prepares Gatehouse in this folder (process ${first.child.pid}): waiting for it …\n`,
  );
  second.go();
  first.go();
  t.same(await Promise.all([first.ended, second.ended]), [0, 0]);
  t.same(lines(), ["first begins", "first ends", "second begins", "second ends"]);
  t.notOk(existsSync(lock));

  const third = start("third");
  await eventually(() => lines().includes("third begins") || undefined);
  third.child.kill("SIGKILL");
  await third.ended;
  t.ok(existsSync(lock), "a process that was killed gives nothing back");
  const fourth = start("fourth");
  fourth.go();
  t.equal(await fourth.ended, 0);
  t.equal(fourth.said(), "", "and nobody waits for it");
  t.same(lines().slice(-2), ["fourth begins", "fourth ends"]);
});
