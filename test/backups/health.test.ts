import t from "tap";
import { type HealthCheck, readHealth } from "../../src/core/health/health.ts";
import { type BackupFacts, backupMissingCheck } from "../../src/features/backups/health-missing.ts";
import { backupRehearsalCheck } from "../../src/features/backups/health-rehearsal.ts";

const found = (check: HealthCheck) => readHealth([check]).checks[0];
const DAY = 86_400_000;
const NOW = Date.UTC(2026, 2, 10);
const good = (daysAgo: number, destination = "local") => ({ at: NOW - daysAgo * DAY, destination, problem: null });

t.test("backups: missing ones are reported, and nothing else", async (t) => {
  const about = (changes: Partial<BackupFacts>) =>
    found(
      backupMissingCheck(() => ({
        scheduled: true,
        owned: true,
        ownedSince: NOW,
        now: NOW,
        elsewhere: true,
        encrypted: true,
        backups: [],
        ...changes,
      })),
    );
  t.equal(about({ owned: false })?.level, "ok");
  t.match(about({}), { level: "ok", text: /tonight/ });
  t.match(about({ ownedSince: NOW - 3 * DAY }), { level: "degraded", text: /3 days/ });
  t.equal(about({ backups: [good(1)] })?.level, "ok");
  t.match(about({ backups: [good(4)] }), { level: "degraded", text: /4 days/ });
  t.match(about({ backups: [{ ...good(1, "usb:STICK"), problem: "No stick." }, good(1), good(2, "usb:STICK")] }), {
    level: "degraded",
    text: /usb:STICK failed: No stick/,
  });
  t.equal(
    about({ backups: [good(0, "usb:STICK"), { ...good(1, "usb:STICK"), problem: "No stick." }] })?.level,
    "ok",
    "a later one succeeded",
  );
  t.match(about({ scheduled: false }), { level: "ok", advice: true, text: /Switched off/ });
  t.match(about({ backups: [good(1)] }), { level: "ok", advice: false });
  t.match(about({ backups: [good(1)], elsewhere: false, encrypted: false }), { advice: true, text: /on this hub/ });
  t.match(about({ backups: [good(1)], encrypted: false }), { level: "ok", advice: true, text: /no passphrase/ });
});

t.test("a failed rehearsal is a problem; none yet is not", async (t) => {
  t.equal(backupRehearsalCheck(() => null).check().level, "ok");
  t.equal(backupRehearsalCheck(() => ({ at: NOW, ok: 1, why: "Sound." })).check().level, "ok");
  t.match(found(backupRehearsalCheck(() => ({ at: NOW, ok: 0, why: "Torn." }))), { level: "degraded", text: /Torn/ });
});
