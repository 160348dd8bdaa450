import t from "tap";
import { Problem } from "../../src/core/kernel/problem.ts";
import type { NewDevice } from "../../src/features/devices/input.ts";
import { createNextLife } from "../../src/features/devices/next-life.ts";

/** A registry in which these ids are taken, or which refuses with `code`. */
function registry(taken: readonly string[], code = "conflict") {
  const asked: string[] = [];
  const create = async (_siteId: number, { id = "" }: NewDevice) => {
    asked.push(id);
    if (taken.includes(id)) throw new Problem(code, "taken");
    return { device: { id } };
  };
  return { asked, create };
}

t.test("an id with a history is followed by the next free one", async (t) => {
  const device = { id: "plug", name: "Plug", type: "smart-plug" };
  t.equal(await createNextLife(registry([]), 1, device), "plug");
  t.equal(await createNextLife(registry(["plug", "plug-2"]), 1, device), "plug-3");
  const full = registry(["plug", ...Array.from({ length: 60 }, (_, n) => `plug-${n + 2}`)]);
  await t.rejects(createNextLife(full, 1, device), { code: /^conflict$/ });
  t.equal(full.asked.length, 50, "it ends");
  const limited = registry(["plug"], "limit_reached");
  await t.rejects(createNextLife(limited, 1, device), { code: /^limit_reached$/ });
  t.equal(limited.asked.length, 1, "another refusal is final");
});
