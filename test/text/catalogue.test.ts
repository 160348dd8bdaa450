/**
 * The hub's records and reports, in both languages. The compiler checks that every code which it can record has a text,
 * with all of its values (src/core/text/keys.ts); here is what the compiler cannot see.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { FEED_KINDS } from "../../src/core/api/feed-kinds.ts";
import { detailEnglish, english, feedEnglish, healthEnglish, storedReason } from "../../src/core/text/english.ts";
import { fill } from "../../src/core/text/render.ts";
import { texts } from "../../src/texts.ts";
import { inLanguage, repeated, untranslated, valuesIn } from "../support/catalogue.ts";
import { PROJECT_ROOT } from "../support/database.ts";

const en = inLanguage(texts, "en");
const hi = inLanguage(texts, "hi");

t.test("both languages have every key, with the same placeholders", async (t) => {
  t.strictSame(Object.keys(hi).sort(), Object.keys(en).sort());
  // keys of en
  for (const [key, text] of Object.entries(en)) t.strictSame(valuesIn(hi[key]), valuesIn(text), key);
  t.strictSame(untranslated(hi), []);
  t.strictSame(await repeated("src/texts.ts"), [], "a key is in one file only");
});

t.test("no text is unused: some part of the hub records each code", async (t) => {
  const folder = join(PROJECT_ROOT, "src");
  const files = (await readdir(folder, { recursive: true })).filter(
    (name) => name.endsWith(".ts") && !/(^|\/)texts\.ts$|(^|\/)console\//.test(name),
  );
  const hub = (await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")))).join("\n");
  // Codes composed of a fixed prefix and a word of the contract: `plate.${reason}`.
  const beginnings = [...hub.matchAll(/`([\w.]+[._])\$\{/g)].map(([, beginning]) => beginning ?? "");
  const codes = Object.keys(en).map((key) => key.replace(/^(check|health|detail|feed\.title|feed\.body)\./, ""));
  const unused = codes.filter(
    (code) => !hub.includes(`"${code}"`) && !beginnings.some((beginning) => code.startsWith(beginning)),
  );
  t.strictSame(unused, []);
  const titles = codesUnder("feed.title.");
  t.strictSame(
    codesUnder("feed.body.").filter((code) => !titles.includes(code)),
    [],
    "a body belongs to a title",
  );
  t.ok(FEED_KINDS.length > 20);
});

t.test("English: plurals, choices, moments, reasons inside reasons", async (t) => {
  t.equal(healthEnglish({ code: "broker.ok", n: 1 }), "Serving 1 client.");
  t.equal(healthEnglish({ code: "broker.ok", n: 1_204 }), "Serving 1,204 clients.");
  t.equal(healthEnglish({ code: "backup.ok", at: "2026-11-22T10:00:31.000Z" }), "The last is of 2026-11-22 10:00 UTC.");
  const plate = { code: "plate.allowed", plate: "MH 12 AB 1234", camera: "Entry", label: "Owner" } as const;
  t.strictSame(feedEnglish({ ...plate, labelled: "yes", way: "in" }), {
    title: "MH 12 AB 1234 allowed",
    body: "Owner, at Entry, entering",
  });
  t.strictSame(feedEnglish({ ...plate, labelled: "no", way: "seen" }), {
    title: "MH 12 AB 1234 allowed",
    body: "at Entry",
  });
  t.equal(
    detailEnglish({ code: "camera.unusable", why: { code: "camera.status", status: 503 } }),
    "the picture cannot be used: the camera answered 503",
  );
  const steps = [
    { code: "step.command", device: "lamp" },
    { code: "step.message", title: "Hello {name}" },
  ] as const;
  t.equal(
    feedEnglish({ code: "automation.fired", name: "Evening", n: 7, steps, more: 5 }).body,
    "Done: command to lamp, message “Hello {name}” and 5 more.",
    "people's own text is not a message",
  );
  t.equal(english("check.disk-space"), "Disk space");
});

t.test("a stored reason is its code; of one that this version does not know only the English is left", async (t) => {
  const known = { code: "place.noStick", label: "STICK" };
  t.strictSame(storedReason("No stick.", known), known);
  t.equal(storedReason("An old sentence.", null), "An old sentence.");
  t.equal(storedReason("Of a later version.", { code: "place.onTheMoon" }), "Of a later version.");
  t.equal(storedReason("With other values.", { code: "place.noStick" }), "With other values.");
});

t.test("a text without one of its values is refused, not shown with a hole", async (t) => {
  t.throws(() => fill(["for ", ["name"]], "en", {}), RangeError);
  t.equal(fill([["n"], " × ", ["name"]], "hi", { n: 2, name: "x" }), "2 × x");
});

function codesUnder(prefix: string): string[] {
  return Object.keys(en).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
}
