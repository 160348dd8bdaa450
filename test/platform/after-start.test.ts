import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { removeOldCode } from "../../src/core/platform/after-start.ts";
import { eventually, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

t.test("cached code of removed programs is deleted, and nothing else", async (t) => {
  const builtAt = Date.parse("2026-05-01T12:00:00Z");
  const ours = join(
    testFolder(t, {
      "v24.21.0-x64-ab-0": { old: "x", ours: "x" },
      "v22.1.0-x64-ab-0": { old: "x" },
      notes: { old: "x" },
    }),
    "v24.21.0-x64-ab-0",
  );
  for (const [name, seconds] of [
    ["old", -1],
    ["ours", 1],
  ] as const)
    utimesSync(join(ours, name), builtAt / 1000, builtAt / 1000 + seconds); // prettier-ignore
  await removeOldCode(ours, builtAt);
  t.same(readdirSync(join(ours, "..")).sort(), ["notes", "v24.21.0-x64-ab-0"]);
  t.same(readdirSync(ours), ["ours"]);
});

t.test("a hub stores the engine's compiled code soon after its start, and starts with it", async (t) => {
  const folder = testFolder(t, { data: {}, compiled: { "v1.0.0-x64-old-0": {} } });
  const env = { NODE_COMPILE_CACHE: join(folder, "compiled"), NODE_DEBUG: "kept-program" };
  const first = await startHubProcess(join(folder, "data"), env);
  const kept = () =>
    readdirSync(join(folder, "compiled"), { recursive: true, encoding: "utf8" }).filter((name) => name.includes("/"));
  const hasProgram = () => kept().some((name) => name.endsWith("/program.cjs.code"));
  try {
    await eventually(
      () => (kept().length >= 2 && hasProgram() && !existsSync(join(folder, "compiled/v1.0.0-x64-old-0"))) || undefined,
      60_000,
    );
  } finally {
    await first.kill();
  }
  const second = await startHubProcess(join(folder, "data"), env);
  t.match(first.output(), /KEPT-PROGRAM.* code compiled/);
  t.match(second.output(), /KEPT-PROGRAM.* code accepted/);
  t.equal(await second.stop(), 0);
  // A truncated program is compiled again.
  for (const name of kept()) writeFileSync(join(folder, "compiled", name), "x");
  mkdirSync(join(folder, "compiled", "other"));
  const third = await startHubProcess(join(folder, "data"), env);
  t.match(third.output(), /KEPT-PROGRAM.* code compiled/);
  t.equal(await third.stop(), 0);
});
