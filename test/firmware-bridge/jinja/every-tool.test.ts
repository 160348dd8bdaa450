/**
 * Every filter, method, function, test and operator of templates with values of every type, small and large: its result
 * and its cost. Compared with test/fixtures/in-full/jinja.json, rewritten as in-full.test.ts explains; the results were
 * compared with Jinja 3.1.6; deviations are named in firmware-bridge/jinja/template.ts or have no result here.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { parsedTemplate } from "../../../firmware-bridge/jinja/template.ts";
import { PROJECT_ROOT } from "../../support/database.ts";
import { fixtureText } from "../../support/fixture-text.ts";
import { short } from "../../support/in-full.ts";

const FILE = join(PROJECT_ROOT, "test/fixtures/in-full/jinja.json");

const VARIABLES = {
  long: "Some words, and more. ".repeat(150),
  tooLong: "x".repeat(65_537),
  many: Array.from({ length: 600 }, (_, index) => index % 7),
  tooMany: Array.from({ length: 1001 }, (_, index) => index),
  wide: Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`key${index}`, index])),
  deep: JSON.parse(`${"[".repeat(41)}${"]".repeat(41)}`) as unknown,
  infinite: Number.POSITIVE_INFINITY,
};

const SMALL: readonly string[] = [
  ...["none", "true", "q", "0", "3", "2.5", "''", "'abc'", "' Ab cd  '", "'12'", "'-3.75'"],
  ...["[3, 1, 2]", "[]", "{'b': 1, 'a': [2]}"],
];
const VALUES: readonly string[] = [
  ...SMALL,
  ...["false", "(-2.5)", "255", "1000000", "'0x1f'", "'on'", "'Ünï-cödé 1st'", "'%d-%s %05.1f'", "'{} {:>4} {:.1f}'"],
  ...["['b', 'A', 'c']", "['', 'a']", "[[1, 2], [3]]", "[{'a': 1}, {'a': 'x'}]", "{}", "'[1, {\"a\": 2}]'"],
  ...["long", "tooLong", "many", "tooMany", "wide", "deep", "infinite"],
];

/** Forms with an `x` in the place of the value. */
const FORMS: readonly string[] = [
  ...[
    "lower",
    "upper",
    "capitalize",
    "title",
    "abs",
    "string",
    "trim",
    "trim('a ')",
    "tojson",
    "to_json",
    "is_defined",
  ],
  ...[
    "replace('b', 'x')",
    "replace('o', 'xx', 1)",
    "replace('', 'y')",
    "replace('a', long)",
    "replace(' ', '', count=0)",
  ],
  ...["split", "split(' ')", "split('b', 1)", "split(none, 1)", "split(sep=',')", "split('x', maxsplit=0)"],
  ...["default", "default('y')", "default('y', true)", "d(boolean=true)", "default(default_value=1)"],
  ...["float", "float(7)", "float(default=q)", "int", "int(7)", "int(0, 16)", "int(0, 2)", "int(base=16)"],
  ...["round", "round(1)", "round(1, 'floor')", "round(0, 'ceil')", "round(0, 'half')", "round(1, 'half')"],
  ...["round(-1)", "round(13)", "round(precision=1, method='ceil')", "round(1, 'common', 9)", "bool", "bool(7)"],
  ...["truncate", "truncate(5)", "truncate(2, true)", "truncate(4, false, '--', 0)", "truncate(7, leeway=1)"],
  ...["from_json", "from_json(1)", "is_number", "iif", "iif(1, 2)", "iif(1, 2, 3)", "iif(if_none=4)"],
  ...["length", "count", "first", "last", "join", "join('-')", "join(d=', ')", "list", "map(attribute='a')", "reverse"],
  ...["sort", "sort(true)", "sort(case_sensitive=true)", "min", "max", "sum", "average", "min(2)", "max(2)"],
  ...["add(2)", "add(2, 5)", "multiply(3)", "multiply(3, default=5)", "bitwise_and(6)", "bitwise_or(6)", "sqrt"],
  ...["log", "log(2)", "format(1, 'a', 2)", "format", "as_datetime", "as_local"],
]
  .map((tool) => `x | ${tool}`)
  .concat(
    [
      ...["lower()", "upper()", "capitalize()", "title()", "strip()", "strip('a ')", "lstrip()", "lstrip('a ')"],
      ...["rstrip()", "rstrip('c ')", "startswith('a')", "endswith('c')", "find('b')", "count('b')", "count('')"],
      ...["isdigit()", "isnumeric()", "zfill(5)", "zfill(70)", "join(['a', 1])", "format(1, 'a', 2)", "get('a')"],
      ...["get('z', 5)", "get(3)", "keys()", "values()", "items()", "replace('a', 'b')", "split()", "cycle(1)"],
    ].map((tool) => `x.${tool}`),
    ["float(x)", "int(x)", "bool(x)", "iif(x, 1)", "range(x)", "range(x, 9)", "range(9, x, 2)", "is_number(x)"],
    ["min(x)", "max(x, 2)", "sqrt(x)", "log(x)", "log(x, 2)", "as_datetime(x)", "namespace(a=x).a"],
    [
      ...[
        "defined",
        "undefined",
        "none",
        "number",
        "integer",
        "float",
        "string",
        "boolean",
        "true",
        "false",
        "mapping",
      ],
      ...[
        "iterable",
        "sequence",
        "list",
        "odd",
        "even",
        "divisibleby(3)",
        "eq(3)",
        "equalto('abc')",
        "ne(3)",
        "gt(2.5)",
      ],
      ...["lt('b')", "in([3, 'abc'])", "in('abcdef')", "search('b')", "search('b.')"],
    ].map((test) => `x is ${test}`),
    ["x[0]", "x[-1]", "x[1]", "x['a']", "x.a", "x[1:]", "x[:-1]", "x[1:2]", "-x", "not x", "x if x else 0", "[x, x]"],
    ["{'a': x}.a", "x == x", "'a' in x", "2 in x"],
  );

const OPERATORS = [
  "+",
  "-",
  "*",
  "/",
  "//",
  "%",
  "**",
  "~",
  "==",
  "!=",
  "<",
  ">",
  "<=",
  ">=",
  "in",
  "not in",
  "and",
  "or",
];
const STATEMENTS: readonly string[] = [
  ...["{% for a in x %}{{ a }}{% endfor %}", "{% for a, b in x %}{{ a }}{{ b }}{% endfor %}"],
  ...[
    "{% for a in x if a %}{{ loop.index }}{% else %}-{% endfor %}",
    "{% if x %}1{% elif x == 0 %}2{% else %}3{% endif %}",
  ],
  ...[
    "{% set y = x %}{{ y }} {{ y }}",
    "text {{ x }}{{ x }}",
    "{% set n = namespace(a=1) %}{% set n.a = x %}{{ n.a }}",
  ],
];

/** A template's result, and its steps. */
function comesTo(source: string): string {
  const template = parsedTemplate(source);
  if ("unsupported" in template) return `unsupported: ${template.unsupported}`;
  const { result, steps, stopped } = template.run(VARIABLES, { left: Number.POSITIVE_INFINITY, now: () => 0 });
  const outcome =
    "text" in result
      ? `${result.text}${typeof result.value === "string" ? "" : ` (${typeof result.value})`}`
      : `- ${"missing" in result ? result.missing : result.refused}`;
  return `${short(outcome)} in ${Math.round(steps * 1000) / 1000}${stopped === null ? "" : ` stopped by ${stopped}`}`;
}

/** The form with the value in it. */
const filled = (form: string, value: string): string => form.replaceAll(/\bx\b/g, () => value);

function everything(): Record<string, Record<string, string>> {
  const found: Record<string, Record<string, string>> = {};
  for (const form of FORMS)
    found[form] = Object.fromEntries(VALUES.map((value) => [value, comesTo(`{{ ${filled(form, value)} }}`)]));
  for (const form of STATEMENTS)
    found[form] = Object.fromEntries(VALUES.map((value) => [value, comesTo(filled(form, value))]));
  for (const operator of OPERATORS)
    found[operator] = Object.fromEntries(
      SMALL.flatMap((left) =>
        SMALL.map((right) => [`${left} ${operator} ${right}`, comesTo(`{{ ${left} ${operator} ${right} }}`)] as const),
      ),
    );
  return found;
}

/** Templates that have every form of syntax; each is tried truncated at each position, and without each of them. */
const PROGRAMS: readonly string[] = [
  "a {%- if x is defined and not y -%} 1 {% elif 2 in [1, 2,] %}2{% else %}3{% endif %}\n b {# note -#} c",
  "{% for k, v in {'a': 1, 'b': [2],}.items() if v != 1 %}{{ k ~ v[0] }}{% else %}-{% endfor %}",
  "{% set n = namespace(a=1, b='t') %}{% set n.a = -n.a + 2 ** 3 // 2 %}{{ n.a % 3, n.b | upper }}",
  "{{ ('it\\'s' \"\\n\\q\" 'x')[1:-1].replace('s', old='t') | default(1.5e1, true) if 1 <= 2 else none }}",
  "{{ 1 not in (1, 2) or 3 is not eq 3 or 5 is divisibleby(2) and 1.0 == true or not not False }}{% set y = True %}",
  "{{ [1, [2]][1].0 }}{{ {'a': {'b': 7}}.a['b'] }}{{ 'abc'[:2] }}{{ 'abc'[1:] }}{{ 1 if 0 }}{{ +-+3 }}",
];

/** Templates at the limits, and one beyond. */
const LIMITS: Readonly<Record<string, string>> = {
  "8192 characters": "x".repeat(8192),
  "8193 characters": "x".repeat(8193),
  "2000 words": `{{ -1${"+1".repeat(999)}}}`,
  "2001 words": `{{ --1${"+1".repeat(999)}}}`,
  "2000 words in two": `{{ 1${"+1".repeat(499)}}}{{ --1${"+1".repeat(499)}}}`,
  "2001 words in two": `{{ -1${"+1".repeat(499)}}}{{ --1${"+1".repeat(499)}}}`,
  "40 brackets": `{{ ${"(".repeat(39)}1${")".repeat(39)} }}`,
  "41 brackets": `{{ ${"(".repeat(40)}1${")".repeat(40)} }}`,
  "40 statements": `${"{% if 1 %}".repeat(40)}x${"{% endif %}".repeat(40)}`,
  "41 statements": `${"{% if 1 %}".repeat(41)}x${"{% endif %}".repeat(41)}`,
  "40 loops": `${"{% for a in [1] %}".repeat(40)}x${"{% endfor %}".repeat(40)}`,
  "41 loops": `${"{% for a in [1] %}".repeat(41)}x${"{% endfor %}".repeat(41)}`,
  "41 brackets one after the other": `{{ ${Array.from({ length: 41 }, () => "(1)").join(" + ")} }}`,
  "a power of 64": "{{ 2 ** 64 > 0 }}",
  "a power of 65": "{{ 2 ** 65 > 0 }}",
  "a power of -65": "{{ 2 ** -65 > 0 }}",
  "10000 steps": "{% for a in range(1000) %}{{ 1 }}{{ 1 }}{% endfor %}{% for a in range(230) %}{{ 1 }}{% endfor %}",
  "more than 10000 steps": "{% for a in range(1000) %}{% for b in range(9) %}{{ 1 }}{% endfor %}{% endfor %}",
  "a range of 1000": "{{ range(1000) | length }}",
  "a range of 1001": "{{ range(1001) | length }}",
  "a list of 1000": "{{ (many + many[:400]) | length }}",
  "a list of 1001": "{{ (many + many[:401]) | length }}",
  "a text of 65536": "{{ tooLong[1:] ~ '' == '' }}",
  "a text of 65537": "{{ tooLong[1:] ~ 'x' == '' }}",
  "texts of 65536": "{{ tooLong[2:] }}x",
  "texts of 65537": "{{ tooLong[1:] }}x",
  "a replacement of 131072": "{{ '12' | replace('1', tooLong[1:]) | length }}",
  "a replacement beyond": "{{ 'aa' | replace('a', tooLong[1:]) | length }}",
  "depth 40": "{{ deep[0] | to_json }}",
  "depth 41": "{{ deep | to_json }}",
};

/** The results of templates with omissions: by reason, with the count and one example. */
function damagedPrograms(): Record<string, string> {
  const all = PROGRAMS.flatMap((program) =>
    Array.from(program, (_, at) => [program.slice(0, at), program.slice(0, at) + program.slice(at + 1)]).flat(),
  );
  const found = new Map<string, string[]>();
  for (const source of all) {
    const result = comesTo(source);
    found.set(result, [...(found.get(result) ?? []), source]);
  }
  return Object.fromEntries([...found].map(([result, sources]) => [result, `${sources.length}: ${sources[0]}`]));
}

const found = everything();
found.programs = Object.fromEntries(PROGRAMS.map((program) => [program, comesTo(program)]));
found["programs with something left out"] = damagedPrograms();
found.limits = Object.fromEntries(Object.entries(LIMITS).map(([name, source]) => [name, comesTo(source)]));
if (process.env.GATEHOUSE_WRITE_IN_FULL === "1") writeFileSync(FILE, fixtureText(found, 20_000));
const wanted = JSON.parse(readFileSync(FILE, "utf8")) as typeof found; // written by the line above

t.test("every tool of templates gives its recorded result at the recorded cost", async (t) => {
  t.same(Object.keys(found), Object.keys(wanted));
  for (const [form, results] of Object.entries(wanted)) t.same(found[form], results, form);
});
