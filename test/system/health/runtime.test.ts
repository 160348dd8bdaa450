import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { readHealth } from "../../../src/core/health/health.ts";
import { runtimeCheck } from "../../../src/features/system/health/runtime.ts";
import { PROJECT_ROOT } from "../../support/database.ts";

const { whyNot } = (await import(join(PROJECT_ROOT, "scripts/lib/runtime.mjs"))) as {
  whyNot: (version: string, today: Date) => string | null;
}; // plain JavaScript
const shipped = JSON.parse(readFileSync(join(PROJECT_ROOT, "scripts/runtime/package-lock.json"), "utf8")) as {
  packages: Record<string, { version: string; integrity: string; os: string; cpu: string }>;
};

t.test("the page shows until when Node.js gets security updates, and warns from the day after", async (t) => {
  const on = (version: string, day: string) => readHealth([runtimeCheck(version, () => Date.parse(day))]).checks[0];
  t.match(on("24.21.0", "2028-04-30T23:59:00Z"), {
    level: "ok",
    text: /until 2028-04-30/,
    words: { code: /^runtime\.ok$/ },
  });
  t.match(on("24.21.0", "2028-05-01"), {
    level: "degraded",
    text: /newest release/,
    words: { code: /^runtime\.past$/, end: "2028-04-30" },
  });
  t.match(
    on("99.0.0", "2040-01-01"),
    { level: "ok", words: { code: /^runtime\.new$/ } },
    "a release line that the table does not know yet",
  );
});

t.test("the system's Node.js is accepted from 22.18 on, while it gets security updates", async (t) => {
  const on = (version: string, day = "2026-11-22") => whyNot(version, new Date(day));
  t.match(on("18.20.8"), /older than 22\.18/);
  t.match(on("20.20.2"), /older than 22\.18/);
  t.match(on("22.17.1"), /older than 22\.18/);
  t.match(on("23.11.0"), /since 2025-06-01/);
  for (const version of ["22.18.0", "22.23.3", "24.21.0", "26.10.0", "27.0.0"]) t.equal(on(version), null, version);
  t.match(on("22.23.3", "2027-05-01"), /since 2027-04-30/);
});

t.test("the shipped Node.js is one version for both architectures, with its hash, and supported", async (t) => {
  const [arm, intel] = ["arm64", "x64"].map((cpu) => shipped.packages[`node_modules/node-linux-${cpu}`]);
  t.match(arm, { os: "linux", cpu: "arm64", integrity: /^sha512-/ });
  t.match(intel, { os: "linux", cpu: "x64", integrity: /^sha512-/ });
  t.equal(arm?.version, intel?.version);
  t.equal(whyNot(arm?.version ?? "", new Date("2026-11-22")), null);
});
