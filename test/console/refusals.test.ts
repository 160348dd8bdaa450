/**
 * Every refusal of the hub has words for people, in English and in Hindi: a code of the catalogue for the request as a
 * whole, or for each field, with the field's name on the page.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { TSchema } from "typebox";
import { texts } from "../../src/console/i18n/catalogue.ts";
import { DETAIL_CODES } from "../../src/core/http/middleware/validate.ts";
import { bodyRefused, Problem } from "../../src/core/kernel/problem.ts";
import { askThread } from "../../src/core/kernel/thread.ts";
import { recordedTextFor } from "../../src/core/text/for-reader.ts";
import { inLanguage } from "../support/catalogue.ts";
import { PROJECT_ROOT } from "../support/database.ts";

const SRC = join(PROJECT_ROOT, "src");
/** Refusals of input: a general text for the code would not explain what to change. */
const OF_ENTRIES = /^"(invalid_(body|query|json|setting|plate)|weak_password|unknown_(device|scene)|limit_reached)"$/;
/** Codes with very different causes: a general text would not explain why the hub refuses. */
const OF_MANY = /^"(conflict|forbidden|unavailable)"$/;
/** Codes that are only clear together with words. */
const TOO_GENERAL = /\bcode: "(refused|invalid|range|window|weak)",\s*message\b(?![^}]*words)/;
/** Set-up documents and terminal commands are answered in English; no page sends them. */
const ENGLISH_ONLY = /^(cli|client|features\/provision)\//;

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !/(^|\/)console\//.test(name) && !ENGLISH_ONLY.test(name))
  .map((name) => ({ name, text: readFileSync(join(SRC, name), "utf8") }));

t.test("every refusal of input has a code of the catalogue, or one per field", async (t) => {
  const { seen, unsaid } = refusals(OF_ENTRIES);
  t.strictSame(unsaid, []);
  t.ok(seen > 60, `${seen} refusals`);
  for (const { name, text } of files)
    t.notMatch(text, TOO_GENERAL, `${name}: fieldRefused() gives a reason for the field`);
});

t.test("every refusal to act has a code of the catalogue that explains it", async (t) => {
  const { seen, unsaid } = refusals(OF_MANY);
  t.strictSame(unsaid, []);
  t.ok(seen > 100, `${seen} refusals`);
  const planted = { name: "x.ts", text: 'throw new Problem("conflict", "The gate is away.", { cause });' };
  t.strictSame(refusals(OF_MANY, [planted]).unsaid, ['x.ts: "conflict" "The gate is away."']);
});

t.test("a refusal from another thread keeps its code", async (t) => {
  const file = join(PROJECT_ROOT, "package.json");
  const order = { kind: "try-path", file };
  const refused: unknown = await askThread(
    new URL("../../src/features/backups/backup-worker.ts", import.meta.url),
    order,
  ).catch((error: unknown) => error);
  t.ok(refused instanceof Problem);
  t.match(refused, { code: /^conflict$/, message: `${file} exists already.` });
  t.strictSame(refused instanceof Problem && refused.words, { code: "conflict.fileExists", file });
});

t.test("a reason is in the reader's language", async (t) => {
  const refused = bodyRefused("/url", "refused", {
    code: "refusal.address",
    why: { code: "refusal.address.loopback" },
  });
  t.ok(refused instanceof Problem);
  const [detail] = refused.details;
  t.equal(detail?.message, "the address cannot be called: loopback addresses are not allowed");
  const hindi = recordedTextFor({ language: "hi", timeZone: "UTC" }, "detail", detail?.words ?? null, "");
  t.equal(hindi, "इस पते पर कुछ नहीं भेजा जा सकता: लूपबैक पते (localhost) नहीं चलते");
});

t.test("every rule of a schema has a code with words, and every field that people fill in has a name", async (t) => {
  const en = inLanguage(texts, "en");
  for (const code of new Set(Object.values(DETAIL_CODES))) t.ok(en[`refused.${code}`], code);
  const rules = new Set<string>();
  const names = new Set<string>();
  for (const { name } of files.filter((file) => /^features\/[\w-]+\/api\//.test(file.name))) {
    const module: Record<string, unknown> = await import(`../../src/${name}`);
    for (const route of Object.values(module)) if (isForPages(route)) look(route.body, rules, names);
  }
  t.ok(names.size > 80 && rules.has("maxLength"), `${names.size} fields`);
  t.strictSame(
    [...rules].filter((rule) => !(rule in DETAIL_CODES)),
    [],
    "rules without a code",
  );
  t.strictSame(
    [...names].filter((name) => !en[`field.${name}`] && !en[`measure.${name}`] && !BY_PROGRAMS.has(name)).sort(),
    [],
    "fields without a name: add `field.…` to the catalogues, or list them in BY_PROGRAMS if nobody types them",
  );
});

/** Members of bodies that pages fill in by themselves. */
const BY_PROGRAMS = new Set([
  ..."attestationObject auth authenticatorAttachment authenticatorData bytes channel clientDataJSON".split(" "),
  ..."destination endpoint p256dh rawId signature sort subject subscriptionId transports upToId".split(" "),
  ..."uploadId userHandle language event now qos".split(" "),
  ..."channels client_name device_code homeBefore inside kinds muteMinutes previous publicKey".split(" "),
]);

/** Keywords of JSON Schema that refuse nothing by themselves. */
const NO_RULE = new Set(
  [
    "items anyOf oneOf allOf properties patternProperties title description default examples $ref $id",
    "readOnly x-text x-from-link ~kind ~optional ~readonly ~unsafe",
  ].flatMap((line) => line.split(" ")),
);

function look(schema: TSchema, rules: Set<string>, names: Set<string>): void {
  for (const word of Object.keys(schema)) if (!NO_RULE.has(word)) rules.add(word);
  const shape: {
    properties?: Record<string, TSchema>;
    items?: TSchema;
    anyOf?: TSchema[];
    oneOf?: TSchema[];
    patternProperties?: Record<string, TSchema>;
  } = schema;
  for (const [name, member] of Object.entries(shape.properties ?? {})) {
    if (canBeTyped(member)) names.add(name);
    look(member, rules, names);
  }
  const inner = [shape.items ?? [], shape.anyOf ?? [], shape.oneOf ?? [], Object.values(shape.patternProperties ?? {})];
  for (const one of inner.flat()) look(one, rules, names);
}

/** Whether it is a text or a number, and not one of a few words. */
function canBeTyped(schema: { type?: unknown; enum?: unknown; const?: unknown }): boolean {
  const types = [schema.type].flat();
  return (
    schema.enum === undefined &&
    schema.const === undefined &&
    types.some((type) => /^(string|number|integer|array)$/.test(String(type)))
  );
}

function isForPages(route: unknown): route is { body: TSchema } {
  if (typeof route !== "object" || route === null || !("body" in route) || route.body === undefined) return false;
  return "access" in route && !JSON.stringify(route.access).includes('"box"');
}

/** The refusals with these codes, and those without words for every language. */
function refusals(of: RegExp, among = files): { seen: number; unsaid: string[] } {
  const found = among.flatMap(({ name, text }) =>
    problemsIn(text)
      .filter(({ code = "" }) => of.test(code))
      .map(({ code = "", wording = "", rest }) => {
        const isSaid =
          wording.startsWith("{") ||
          /\b(details|words)\b/.test(rest) ||
          (/^[A-Za-z]\w*$/.test(wording) && isDetail(text, wording));
        return isSaid ? null : `${name}: ${code} ${wording.slice(0, 80)}`;
      }),
  );
  return { seen: found.length, unsaid: found.filter((one) => one !== null) };
}

/** Whether a name refers to a value of the catalogue in this file. */
function isDetail(text: string, name: string): boolean {
  return new RegExp(`\\b${name}: (Detail|WhyNot)\\b|\\bconst ${name} = (stateTooLarge|misfit)\\(`).test(text);
}

/** The arguments of every `new Problem(…)`. */
function problemsIn(text: string): { code?: string; wording?: string; rest: string }[] {
  const found: { code?: string; wording?: string; rest: string }[] = [];
  const begin = "new Problem(";
  for (let at = text.indexOf(begin); at >= 0; at = text.indexOf(begin, at + 1)) {
    const [code, wording, ...rest] = argumentsAt(text, at + begin.length);
    found.push({
      ...(code === undefined ? {} : { code }),
      ...(wording === undefined ? {} : { wording }),
      rest: rest.join(),
    });
  }
  return found;
}

/** The arguments of a call whose bracket is open at `from`; texts and templates are skipped. */
function argumentsAt(text: string, from: number): string[] {
  const found: string[] = [];
  let start = from;
  let depth = 1;
  for (let i = from; depth > 0 && i < text.length; i++) {
    const c = text[i] ?? "";
    if (c === '"' || c === "`") {
      i = endOfText(text, i);
      continue;
    }
    if ("([{".includes(c)) depth += 1;
    else if (")]}".includes(c)) depth -= 1;
    if ((c === "," && depth === 1) || depth === 0) {
      found.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  return found.filter((argument) => argument !== "");
}

/** The end of the text that begins at `from`; placeholders of a template are followed. */
function endOfText(text: string, from: number): number {
  const quote = text[from];
  for (let i = from + 1; i < text.length; i++) {
    if (text[i] === "\\") i += 1;
    else if (text[i] === quote) return i;
    else if (quote === "`" && text.startsWith("${", i)) {
      let depth = 1;
      for (i += 2; depth > 0 && i < text.length; i++) {
        if (text[i] === '"' || text[i] === "`") i = endOfText(text, i);
        else if (text[i] === "{") depth += 1;
        else if (text[i] === "}") depth -= 1;
      }
      i -= 1;
    }
  }
  return text.length;
}
