/** A hub with a different key reports which of its webhooks it cannot call until they have new secrets. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Hub } from "../../src/hub.ts";
import { CHEAP_COST } from "../support/cheap-cost.ts";
import { startConsoleHub } from "../support/console-hub.ts";
import { PROJECT_ROOT } from "../support/database.ts";

t.test("a lost hub.key is reported, and new secrets fix it", async (t) => {
  const { hub, call, dataFolder, settings } = await startConsoleHub(t);
  const check = (one: Hub) => one.system.health().checks.find(({ code }) => code === "webhook-secrets");
  for (const path of ["/a", "/b"])
    t.equal(
      (
        await call("POST", "/api/webhooks", {
          url: `http://127.0.0.1:9${path}`,
          events: ["device.telemetry"],
          probe: true,
        })
      ).status,
      201,
    );
  t.match(check(hub), { level: "ok" });
  await hub.stop();
  for (const file of ["hub.key", "hub.key.copy"]) rmSync(join(dataFolder, file));
  const options = {
    settings,
    clock: systemClock,
    logger: silentLogger,
    projectFolder: PROJECT_ROOT,
    dataFolder,
    version: "0.0.0",
    builtAt: 0,
  };
  const again = await Hub.open({ ...options, passwordCost: CHEAP_COST });
  await again.start();
  t.teardown(() => again.stop());
  t.match(check(again), { level: "degraded", text: /^2 webhooks are not called: the file hub.key/ });
  const { registry } = again.webhooks;
  const site = again.access.accounts.sites().find(({ env }) => env === "live")?.id ?? 0;
  for (const [n, { id }] of registry.list(site).entries()) {
    t.throws(() => registry.secrets(id), { code: /^unavailable$/ });
    const { secret } = await registry.rotate(site, id);
    t.same(registry.secrets(id), [secret], "the old one no longer signs: it cannot be decrypted");
    t.equal(registry.unsigned(), 1 - n);
  }
  t.match(check(again), { level: "ok" });
});
