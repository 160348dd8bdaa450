import { createRequire } from "node:module";
import { join } from "node:path";
import t from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { boardModel, temperatureCelsius, underVoltage } from "../../src/core/platform/board.ts";
import { bytesWritten, diskSpace } from "../../src/core/platform/disk.ts";
import { localAddresses } from "../../src/core/platform/network.ts";
import { SystemdNotifier } from "../../src/core/platform/systemd.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

interface Listener {
  bind(path: string): void;
  on(event: string, handler: (message: Buffer) => void): void;
  close(): void;
}

t.test("systemd hears READY, the watchdog while healthy, and STOPPING", async (t) => {
  const unix = createRequire(import.meta.url)("unix-dgram") as {
    createSocket(type: "unix_dgram", handler: (message: Buffer) => void): Listener;
  };
  const path = join(testFolder(t), "notify");
  const heard: string[] = [];
  const listener = unix.createSocket("unix_dgram", (message) => heard.push(message.toString()));
  listener.bind(path);
  const clock = new FakeClock();
  let healthy = true;
  const notifier = new SystemdNotifier({
    notifySocket: path,
    watchdogMicroseconds: "20000000",
    clock,
    logger: silentLogger,
  });
  notifier.ready("serving", () => healthy);
  clock.advance(10_000);
  healthy = false;
  clock.advance(10_000);
  notifier.stopping();
  for (let i = 0; i < 50 && heard.length < 3; i++) await new Promise((resolve) => setTimeout(resolve, 10));
  listener.close();
  t.same(heard, ["READY=1\nSTATUS=serving", "WATCHDOG=1", "STOPPING=1"]);
});

t.test("outside systemd nothing is sent and nothing fails", (t) => {
  const notifier = new SystemdNotifier({
    notifySocket: undefined,
    watchdogMicroseconds: undefined,
    clock: new FakeClock(),
    logger: silentLogger,
  });
  notifier.ready("serving", () => true);
  notifier.stopping();
  t.end();
});

t.test("facts of the machine are read, or null if it has none", (t) => {
  const space = diskSpace("/");
  t.ok(space.totalBytes > 0 && space.freeBytes <= space.totalBytes);
  t.ok((bytesWritten() ?? 0) >= 0);
  for (const fact of [temperatureCelsius(), underVoltage(), boardModel()]) t.not(fact, undefined);
  t.notOk(localAddresses().includes("127.0.0.1"));
  t.end();
});
