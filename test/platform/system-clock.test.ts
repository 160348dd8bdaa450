import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { systemClockSetter } from "../../src/core/platform/system-clock.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

const NOON = Date.UTC(2026, 2, 1, 12);

t.test("the time is requested by a file, and accepted once the clock shows it", async (t) => {
  const file = join(testFolder(t, { uptime: "1234.56 99.0\n" }), "requests/clock");
  const clock = new FakeClock(0);
  const setting = systemClockSetter({ file, uptimeFile: join(file, "../../uptime"), clock })(NOON);
  t.equal(readFileSync(file, "utf8"), `${NOON} 1234.56\n`);
  clock.jump(NOON);
  clock.advance(100);
  t.equal(await setting, true);
});

t.test("without a process to set it: no", async (t) => {
  const file = join(testFolder(t, { uptime: "1.0 1.0\n" }), "clock");
  const clock = new FakeClock(0);
  const asked = systemClockSetter({ file, uptimeFile: join(file, "../uptime"), clock })(NOON);
  let answer: boolean | null = null;
  void asked.then((taken) => (answer = taken));
  for (let step = 0; step < 60 && answer === null; step++) {
    clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.equal(answer, false);
});

t.test("root's part sets the requested time, plus the time elapsed, and nothing impossible", async (t) => {
  const folder = testFolder(t, { date: '#!/bin/sh\necho "$@" >> "$SAID"\n', hwclock: "#!/bin/sh\n" });
  for (const name of ["date", "hwclock"]) chmodSync(join(folder, name), 0o755);
  const run = (text: string): { status: number | null; output: string } => {
    writeFileSync(join(folder, "request"), text);
    const env = { PATH: `${folder}:${process.env.PATH}`, SAID: join(folder, "said") };
    writeFileSync(env.SAID, "");
    const { status } = spawnSync(
      "sh",
      [join(PROJECT_ROOT, "systemd/libexec/gatehouse-clock"), join(folder, "request")],
      { env },
    );
    t.notOk(existsSync(join(folder, "request")), "asked once");
    return { status, output: readFileSync(env.SAID, "utf8") };
  };
  const now = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
  const { status, output } = run(`${NOON} ${now - 5}\n`);
  t.equal(status, 0);
  const set = Number(/@([\d.]+)/.exec(output)?.[1]);
  t.ok(set >= NOON / 1000 + 5 && set < NOON / 1000 + 30, `${set}: five seconds elapsed, and the duration of this test`);
  t.not(run(`${NOON} ${now - 600}\n`).status, 0, "too old");
  t.not(run(`12 ${now}\n`).status, 0, "1970");
  t.same(run("$(reboot) 1\n").output, "");
});
