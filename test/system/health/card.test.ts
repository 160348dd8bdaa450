import t from "tap";
import { type HealthCheck, readHealth } from "../../../src/core/health/health.ts";
import { cardErrorsCheck } from "../../../src/features/system/health/card-errors.ts";
import { cardWearCheck } from "../../../src/features/system/health/card-wear.ts";
import { powerCheck } from "../../../src/features/system/health/power.ts";

const found = (check: HealthCheck) => readHealth([check]).checks[0];

t.test("card, wear and supply: problems are reported with a remedy", async (t) => {
  const sound = { fileSystemErrors: 0, deviceErrors: null, lifeTenths: 2, spare: 1 };
  const card = (changes: Partial<typeof sound>) => found(cardErrorsCheck(() => ({ ...sound, ...changes })));
  t.match(card({}), { level: "ok", text: /20 %/ });
  t.match(card({ fileSystemErrors: 1 }), { level: "degraded", text: /replace the card/ });
  t.match(card({ lifeTenths: 11 }), { level: "degraded" });
  t.equal(cardErrorsCheck(() => null).check().level, "ok");
  const wear = (todayBytes: number, lifetimeYears: number | null = null) =>
    found(cardWearCheck(() => ({ todayBytes, budgetBytes: 5e8, lifetimeYears })));
  t.match(wear(1e8), {
    level: "ok",
    text: "100 of 500 MB a day.",
    words: { code: /^wear\.ok$/, written: 100, budget: 500 },
  });
  t.match(wear(6e8), { level: "degraded", text: /Find out/, words: { code: /^wear\.over$/ } });
  t.hasStrict(wear(1e8, 7.6)?.words, { code: "wear.years", n: 8 });
  t.hasStrict(wear(1e8, 0.01)?.words, { code: "wear.months", n: 1 });
  t.equal(powerCheck(() => null).check().level, "ok");
  t.match(found(powerCheck(() => true)), { level: "degraded", text: /supply/ });
});
