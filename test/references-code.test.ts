/** Citations in comments, scripts, units and documents can be looked up: `support/citations.ts` defines how. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { dangling, proseOf, SECTIONS } from "./support/citations.ts";
import { PROJECT_ROOT } from "./support/database.ts";

const FOLDERS = ["src", "firmware-bridge", "scripts", "test", "systemd", "models", "docs", ".ci", ".github"];
/** Everything that is text. */
const NO_SOURCE =
  /\.(png|webp|jpg|jpeg|onnx|ico|woff2|svg|json|csv|pt|gz|bin|pyc)$|-LICENSE\.txt$|(^|\/)(node_modules|generated|fixtures|work|__pycache__|screenshots|pictures)(\/|$)/;
/** They contain the patterns themselves. */
const ABOUT_CITATIONS = new Set(["test/references-code.test.ts", "test/support/citations.ts", "CHANGELOG.md"]);

t.test("the pages have sections", async (t) => {
  const contract = SECTIONS["device-control-api"];
  t.ok(contract?.has("2") && contract.has("9"));
  t.ok(SECTIONS.domain?.has("8.7"));
  t.ok(SECTIONS.interface?.has("37"));
});

t.test("what comments and documents cite can be looked up", async (t) => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => !NO_SOURCE.test(file) && statSync(join(PROJECT_ROOT, folder, file)).isFile())
      .map((file) => `${folder}/${file}`),
  )
    .concat(readdirSync(PROJECT_ROOT).filter((file) => file.endsWith(".md")))
    .filter((file) => !ABOUT_CITATIONS.has(file));
  t.ok(files.length > 1_000, `${files.length} files`);
  for (const name of ["scripts/image/init", "systemd/libexec/gatehouse-boot", ".ci/run", "ARCHITECTURE.md"])
    t.ok(files.includes(name), name);
  const texts = files.map((file) => [file, readFileSync(join(PROJECT_ROOT, file), "utf8")] as const);
  for (const kind of ["ts", "tsx", "mjs", "sql", "css", "py", "sh", "md"]) {
    const some = texts.filter(([file]) => file.endsWith(`.${kind}`)).flatMap(([file, text]) => proseOf(file, text));
    t.ok(some.length > 3, `${some.length} comments in files of ${kind}`);
  }
  t.same(
    texts.flatMap(([file, text]) => dangling(file, text)),
    [],
  );
});

/** A file, the text planted in it, and the expected findings. */
const PLANTED: readonly (readonly [string, string, string])[] = [
  ["x.ts", "/** See docs/spec/domain.md §99.9. */", "docs/spec/domain.md §99.9"],
  ["x.ts", "/** Full (docs/spec/domain.md\n * §99.1). */", "docs/spec/domain.md §99.1"],
  ["x.ts", "/** As in docs/spec/interface.md §30–99. */", "docs/spec/interface.md §30–99"],
  ["x.ts", "/** Full (domain §8.6). */", "§8.6|domain §8.6"],
  ["page.md", "It is told as interface 30 says.", "interface 30"],
  ["x.ts", "/** Waits 5 s, by contract. */", "by contract"],
  ["x.ts", '/** As in CONTRIBUTING.md, "A new chair". */', 'CONTRIBUTING.md, "A new chair"'],
  ["x.ts", "/** Checked by {@link Nobody}. */", "{@link Nobody"],
  ["x.sh", "# see nowhere.mjs beside it", "nowhere.mjs"],
  ["x.ts", "/** Started by nowhere.service. */", "nowhere.service"],
  ["x.ts", "/** `firmware-bridge/nowhere.ts` reads it. */", "firmware-bridge/nowhere.ts"],
  ["x.ts", "/** See `docs/nowhere.md`. */", "docs/nowhere.md"],
  ["x.ts", "let a = 1; // as in api.md", "api.md"],
  ["x.ts", "const x = 1; // as in kernel/nowhere.ts", "kernel/nowhere.ts"],
  ["page.md", "The queue (`mqtt/nowhere.ts`) and `core/mqtt/broker.ts`.", "mqtt/nowhere.ts"],
  ["x.ts", "/** As in src/domain/tariff.ts. */", "src/domain/tariff.ts"],
  ["page.md", "It was decided (decision 99).", "decision 99"],
  ["x.sql", "a INTEGER, -- as in the API page, rule 7", "API page|rule 7"],
  ["x.css", "/* The colours of the design notes. */", "the design notes|of the design|design notes"],
  ["x.py", 'def f():\n    """Windows as the\n    spec wants them."""', "the spec"],
  ["x.mjs", "/** Kept small, as discussed. */", "as discussed"],
  ["x.sh", "# see their issue 4174", "issue 4174"],
  ["page.md", "A known fault of the server (their issue 4174).", "issue 4174"],
  ["x.ts", "// Source: home-assistant.io/integrations/mqtt.", "home-assistant.io/integrations/mqtt.|Source:"],
  ["x.ts", "// Source: Gen1 API documentation.", "Source:|documentation"],
  ["x.ts", "/** As in parser/mqtt_component.cpp of it. */", "parser/mqtt_component.cpp"],
  ["x.ts", "/** Logarithmic (Application clusters §2.2). */", "§2.2"],
  ["x.ts", "/** Four modules, as its standard asks. */", "standard asks"],
  ["x.ts", "/** Told twice, as the RFC wants. */", "the RFC"],
  ["x.ts", "/** No vowels (RFC 8628, 6.1). */", "RFC 8628, 6.1"],
  ["x.ts", "/** A prefix (RFC 6265bis §4.1). */", "§4.1|RFC 6265bis"],
  ["x.ts", "/** A cookie for each browser (OWASP: device cookies). */", "OWASP"],
  ["x.ts", "/** Found by WS-Discovery. */", "WS-Discovery"],
  ["x.py", '"""Means of weights (Somebody et al. 2018)."""', "et al."],
  ["x.ts", "/** Bare, as its documents show them. */", "its documents"],
  ["x.ts", "/** Sent as ntfy documents it. */", "documents it"],
  ["x.ts", "/** From the makers' own integration pages. */", "integration pages"],
  ["x.ts", "/** Ordered as semver.org orders them. */", "semver.org"],
  ["x.md", 'Plates (source: techspot.com, "Running out").', "techspot.com"],
  ["x.test.ts", 't.test("the cost is that of the design", () => {});', "of the design"],
];

t.test("citations that cannot be looked up are found, whatever their form", async (t) => {
  for (const [file, content, expected] of PLANTED)
    t.same(
      dangling(file, content),
      expected.split("|").map((cited) => `${file}: ${cited}`),
      content,
    );
});

t.test("citations that can be looked up are left alone", async (t) => {
  for (const content of [
    "/** Full (docs/spec/domain.md §8.6), told as docs/spec/interface.md §30 says. */",
    '/** As in CONTRIBUTING.md, "A new table"; see references.test.ts. */',
    "/** Opens what {@link shut} shut. */\nimport { shut } from 'there';",
    "/** Smaller than RFC 6762 §8.2 wants; §6.7 asks for few. */",
    "/** `core/http/app.ts`, docs/settings.md and appliance.md; decision 11. */",
    "/** Source: https://www.home-assistant.io/integrations/mqtt/. */",
    "/** A fault of theirs: https://github.com/nats-io/nats-server/issues/4174. */",
    'const path = "kernel/other.ts";',
  ])
    t.same(dangling("x.ts", content), [], content);
});

t.test("the sources of recorded conversations with firmware have an address", async (t) => {
  const folders = ["firmware-bridge", "test/fixtures/every-value"].map((folder) => join(PROJECT_ROOT, folder));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".json") && file !== "homeassistant-options.json")
      .map((file) => join(folder, file)),
  );
  t.ok(files.length > 60, `${files.length} files`);
  for (const file of files) {
    const { source } = JSON.parse(readFileSync(file, "utf8")) as { readonly source?: string };
    t.match(source, /^https:\/\/\S/, file);
    t.same(dangling("x.ts", `/** ${source} */`), [], file);
  }
});
