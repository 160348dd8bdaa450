import t from "tap";
import { readHealth } from "../../src/core/health/health.ts";
import type { ClockTrustState } from "../../src/core/kernel/clock-trust.ts";
import { matterCheck } from "../../src/features/matter/health.ts";
import { brokerCheck } from "../../src/features/mqtt/health.ts";
import { recogniserCheck } from "../../src/features/recognition/health.ts";
import { clockCheck } from "../../src/features/system/health/clock.ts";
import { diskSpaceCheck } from "../../src/features/system/health/disk-space.ts";
import { historyCheck } from "../../src/features/system/health/history.ts";
import { storageCheck } from "../../src/features/system/health/storage.ts";
import { webhookSecretsCheck } from "../../src/features/webhooks/health-secrets.ts";

t.test("the worst check is the hub's health, and each has a remedy", (t) => {
  const good = [
    brokerCheck({ listening: () => true, clientCount: () => 1 }),
    storageCheck({ state: "ok", stateReason: null, isFallback: false, badRows: [], silentMs: 0 }),
  ];
  t.equal(readHealth(good).status, "ok");
  t.equal(
    readHealth([...good, recogniserCheck({ state: () => ({ ready: false, words: { code: "recogniser.noModels" } }) })])
      .status,
    "degraded",
  );
  t.equal(
    readHealth([
      ...good,
      storageCheck({
        state: "full",
        stateReason: "database or disk is full",
        isFallback: false,
        badRows: [],
        silentMs: 0,
      }),
    ]).status,
    "failed",
  );
  t.match(
    readHealth([storageCheck({ state: "damaged", stateReason: "x", isFallback: true, badRows: [], silentMs: 0 })])
      .checks[0],
    {
      level: "failed",
      text: /Restore a backup/,
    },
  );
  t.match(
    readHealth([storageCheck({ state: "damaged", stateReason: "x", isFallback: false, badRows: [], silentMs: 0 })])
      .checks[0],
    { level: "failed", text: /Restart the hub, which checks the whole file/ },
    "found by a read: a disk that failed for a moment looks the same",
  );
  const history = (isBehind: boolean) =>
    readHealth([historyCheck(() => [{ kind: "reads", waiting: 1_234, isBehind }])]).checks[0];
  t.match(history(true), { level: "degraded", text: /1,234 entries wait \(1,234 plate reads\)/ });
  t.match(history(false), { level: "ok" }, "routine deletions are not reported");
  t.match(readHealth([webhookSecretsCheck({ unsigned: () => 2 })]).checks[0], {
    level: "degraded",
    text: /2 webhooks are not called: the file hub.key/,
  });
  t.match(readHealth([diskSpaceCheck(() => ({ freeBytes: 1e8, totalBytes: 1e10 }))]).checks[0], {
    level: "degraded",
    text: /0\.1 GB of 9\.3 GB free/,
  });
  const matter = (hasIpv6: boolean, state: "off" | "running" | "waiting", trouble: string | null = null) =>
    readHealth([
      matterCheck(() => ({ state, hasIpv6, trouble, rssBytes: 1e8, restarts: 0, reason: null, isHeld: false })),
    ]).checks[0];
  t.match(matter(false, "running"), { level: "degraded", text: /no IPv6 address, which Matter works by/ });
  t.match(matter(false, "waiting"), { level: "degraded", text: /no IPv6/ }, "which is why it ends");
  t.match(matter(false, "off"), { level: "ok" }, "nothing else needs it");
  t.match(matter(true, "running"), { level: "ok" });
  t.match(matter(true, "running", "port 5540 is in use"), { level: "degraded", text: /do not reach it: port 5540 is/ });
  t.match(readHealth([brokerCheck({ listening: () => false, clientCount: () => 0 })]).checks[0], { level: "failed" });
  const clock = (state: ClockTrustState, refusedMs: number | null, isDoubted: boolean) =>
    readHealth([clockCheck({ state: () => state, refusedMs: () => refusedMs }, { isDoubted })]).checks[0];
  t.match(clock("unknown", null, false), { level: "degraded", text: /schedules wait/ });
  t.match(clock("holdover", Date.parse("2036-01-01T00:00:00Z"), false), {
    level: "degraded",
    text: /jumped to 2036-01-01 00:00 UTC/,
  });
  t.match(clock("trusted", null, true), { level: "ok", text: /nothing is deleted for its age/ });
  t.match(clock("trusted", null, false), { level: "ok", text: "The time is trusted." });
  t.end();
});

t.test("a check that throws is itself a finding", (t) => {
  const health = readHealth([
    {
      code: "disk-space",
      check: () => {
        throw new Error("statfs failed");
      },
    },
  ]);
  t.match(health, {
    status: /^degraded$/,
    checks: [{ code: /^disk-space$/, title: "Disk space", text: /statfs failed/ }],
  });
  t.end();
});
