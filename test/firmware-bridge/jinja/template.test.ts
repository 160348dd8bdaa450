import fc from "fast-check";
import t from "tap";
import { parsedTemplate, receivedVariables } from "../../../firmware-bridge/jinja/template.ts";
import { jsonOf } from "../../../firmware-bridge/json-values.ts";

/** Evaluates a template over a received payload; returns its result as text, or the reason for failure. */
function render(source: string, payload = "", extra: Record<string, unknown> = {}): string {
  const template = parsedTemplate(source);
  if ("unsupported" in template) return `unsupported: ${template.unsupported}`;
  const { result } = template.run(
    { ...receivedVariables(payload, jsonOf(payload)), ...extra },
    { left: Number.POSITIVE_INFINITY, now: () => 0 },
  );
  if ("missing" in result) return `missing: ${result.missing}`;
  return "refused" in result ? `refused: ${result.refused}` : result.text;
}

const JSON_PAYLOAD = JSON.stringify({
  temperature: 21.456,
  state: "ON",
  occupancy: true,
  empty: null,
  "co 2": 812,
  color: { r: 255, g: 128, b: 0, x: 0.4 },
  list: [10, 20, 30],
  energy: { total: "12.5" },
  action: "single",
});

/** Template, and its result over the payload above. The first block has templates that emitters publish. */
const ROWS: readonly (readonly [string, string])[] = [
  ["{{ value_json.temperature }}", "21.456"],
  ['{{ value_json["co 2"] }}', "812"],
  ["{{ value_json['temperature'] | round(1) }}", "21.5"],
  ["{{ value_json.list[1] }}", "20"],
  ["{{ value_json.list[-1] }}", "30"],
  ["{{ value_json.color.x | float | round(2) }}", "0.4"],
  ["{{ value_json.energy.total | float(0) * 1000 }}", "12500"],
  ["{{ (value_json.energy.total|float*100)|round }}", "1250"],
  ["{{ value_json.missing | default('none') }}", "none"],
  ["{{ value_json.missing | default(0) | int + 1 }}", "1"],
  ["{{ value_json.state | lower }}", "on"],
  ["{{ value_json.color | tojson }}", '{"r":255,"g":128,"b":0,"x":0.4}'],
  ["{{ value_json.temperature | is_defined }}", "21.456"],
  ["{{ value_json.nothing | is_defined }}", "missing: a value that is not there"],
  ["{{ value_json.color.r }},{{ value_json.color.g }},{{ value_json.color.b }}", "255,128,0"],
  ['{% if value_json.state == "ON" %}on{% else %}off{% endif %}', "on"],
  [
    "{%- if value_json.temperature > 30 -%} hot {%- elif value_json.temperature > 20 -%} warm {%- else -%} cold {%- endif -%}",
    "warm",
  ],
  ["{{ 'ON' if value_json.occupancy else 'OFF' }}", "ON"],
  ["{{ iif(value_json.occupancy, 'home', 'not_home') }}", "home"],
  ["{{ value_json.state == 'ON' and not value_json.empty }}", "True"],
  ["{{ value_json.occupancy }}", "True"],
  ["{{ value_json.empty }}", "None"],
  ["{{ '%02x%02x%02x' | format(value_json.color.r, value_json.color.g, value_json.color.b) }}", "ff8000"],
  ["{% set x = value_json.temperature %}{{ x * 2 }}", "42.912"],
  ["{{ value_json.action in ['single', 'double'] }}", "True"],
  ["{{ 'sing' in value_json.action }}", "True"],
  ["{{ 'state' in value_json }}", "True"],
  ["{{ value_json.state is defined and value_json.nope is not defined }}", "True"],
  ["{{ value_json.nope is none }}", "False"],
  ["{{ value_json.action.split('g')[0] | upper }}", "SIN"],
  ["{{ value_json.list | join('-') }}", "10-20-30"],
  ["{{ value_json.list | sum / value_json.list | length }}", "20"],
  ["{{ value_json.get('temperature', 0) }}", "21.456"],
  ["{% for n in value_json.list %}{{ n }};{% endfor %}", "10;20;30;"],
  ["{% for k, v in value_json.energy.items() %}{{ k }}={{ v }}{% endfor %}", "total=12.5"],
  ["{# a note #}{{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % 3 }} {{ -7 % 3 }} {{ 2 ** 3 }}", "3 -4 1 2 8"],
  ["{{ 1 + 2 * 3 - 4 / 2 }}", "5"],
  ["{{ 'a' ~ 1 ~ 'b' }}", "a1b"],
  ["{{ value_json.action | truncate(3, True, '', 0) }} {{ 'long text' | truncate(5) }}", "sin long text"],
  ["{{ 2.5 | round }} {{ 3.5 | round }} {{ 2.675 | round(2) }}", "2 4 2.68"],
  ["{{ -5 | abs }} {{ (-5) | abs }}", "5 5"],
  ["{{ {'a': [1, 2]}.a[1] }}", "2"],
  ["{{ value_json.list[0:2] }}", "[10,20]"],
  ["{{ value_json.list | map(attribute='x') | list }}", "[null,null,null]"],
  ["{{ '0x1f' | int(base=16) }} {{ 'x' | int(7) }} {{ 'x' | float(1.5) }}", "31 7 1.5"],
  ["{{ '{:02x} {:.1f} {}'.format(10, 2.25, 'z') }}", "0a 2.3 z"],
  ['{"text": "{{ value_json.action }}"}', '{"text": "single"}'],
  ["a { b } {{ '}}' }}", "a { b } }}"],
  ["{{ not not true }} {{ not false == true }}", "True True"],
  ["{{ 1 == 1.0 }} {{ '1' == 1 }} {{ true == 1 }} {{ [1] == [1] }}", "True False True True"],
  ["{{ this.state }}", "missing: a value that is not there"],
  ["{{ value_json.nope.deeper }}", "missing: a value that is not there"],
  ["{{ value_json.action | float }}", "missing: a number that is not there"],
  ["{{ value_json.action > 5 }}", "missing: values that cannot be compared"],
];

t.test("templates of emitters give the same result as in Home Assistant", async (t) => {
  for (const [source, expected] of ROWS) t.equal(render(source, JSON_PAYLOAD), expected, source);
  t.equal(render("{{ (value|float*100)|round }}", "0.42"), "42");
  t.equal(render("{{ value | trim }}", "  on "), "on");
  t.equal(render('{ "position": {{ position }} }', "", { position: 40 }), '{ "position": 40 }');
  t.equal(render("{{ value_json.x }}", "no json"), "missing: a value that is not there");
});

t.test("a template that cannot be evaluated is detected before a value comes, with its reason", async (t) => {
  const rows: readonly (readonly [string, string])[] = [
    ["{{ states('sensor.x') }}", 'the function "states" is not supported'],
    ["{{ state_attr('a','b') }}", 'the function "state_attr" is not supported'],
    ["{{ now() }}", 'the function "now" is not supported'],
    ["{{ value | regex_replace('(a+)+$','') }}", 'the filter "regex_replace" is not supported'],
    ["{% macro x() %}{% endmacro %}", 'the statement "macro" is not supported'],
    ["{% include 'x' %}", 'the statement "include" is not supported'],
    ["{% import 'os' as os %}", 'the statement "import" is not supported'],
    ["{{ value.__class__() }}", 'the method "__class__" is not supported'],
    ["{{ value", "}} is missing"],
    ["{% if value %}x", "endif is missing"],
    ["{% endif %}", "endif without a beginning"],
    ["{{ 'x }}", "a text is not closed"],
    ["{{ 1 + }}", "a value is missing"],
    ["{{ a b }}", '"b" is not expected here'],
    ["{{ value ? 1 : 2 }}", '"?" is not understood'],
  ];
  for (const [source, reason] of rows) t.equal(render(source), `unsupported: ${reason}`, source);
});

t.test("attacks reach neither code nor prototypes", async (t) => {
  const payload = '{"__proto__":{"polluted":1},"constructor":"mine"}';
  const nothing = [
    "{{ value.constructor }}",
    "{{ value_json.list.constructor }}",
    "{{ [].constructor }}",
    "{{ ''.__proto__ }}",
    "{{ {}.toString }}",
    "{{ range.constructor }}",
    "{{ value_json['hasOwnProperty'] }}",
    "{{ [1].length }}",
  ];
  for (const source of nothing) t.match(render(source, payload), /^$|^missing|^unsupported/, source);
  t.equal(render("{{ value_json.constructor }}", payload), "mine", "an own member of that name is only data");
  const calls = [
    "{{ ''.constructor.constructor('return process')() }}",
    "{{ value.constructor('return 1')() }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{{ lipsum.__globals__['os'].popen('id').read() }}",
    "{{ request.application.__globals__ }}",
    "{{ self._TemplateReference__context }}",
    "{{ value_json.x.valueOf() }}",
    "{{ eval('1') }}",
    "{{ Function('return 1')() }}",
    "{{ value|attr('__class__') }}",
  ];
  for (const source of calls) t.match(render(source, payload), /^unsupported|^missing/, source);
  render("{% set x = {'__proto__': {'polluted': 1}} %}{{ x }}");
  t.equal(Reflect.get({}, "polluted"), undefined);
});

t.test("no template gets more than its share of time and memory", async (t) => {
  const bombs: readonly string[] = [
    "{{ range(1000000000) | list }}",
    "{% for a in range(1000) %}{% for b in range(1000) %}x{% endfor %}{% endfor %}",
    `{% set x = 'aaaaaaaa' %}${"{% set x = x ~ x %}".repeat(60)}{{ x }}`,
    `{% set x = 'aaaaaaaa' %}${"{% set x = x.replace('a', x) %}".repeat(60)}{{ x }}`,
    `{% set x = [1] %}${"{% set x = [x, x, x, x] %}".repeat(60)}{{ x }}`,
    `{% set x = [1] %}${"{% set x = [x, x, x, x] %}".repeat(60)}{{ x == x }}`,
    `{% set x = [1] %}${"{% set x = x + x %}".repeat(60)}{{ x }}`,
    `{{ ${"(".repeat(3000)}1${")".repeat(3000)} }}`,
    `{{ ${"[".repeat(3000)} }}`,
    `{{ ${"not ".repeat(1900)}1 }}`,
    `{{ ${"-".repeat(3000)}1 }}`,
    `{{ 1${"+1".repeat(990)} }}`,
    `{{ value${"|lower".repeat(900)} }}`,
    `{{ value${".a".repeat(900)} }}`,
    "{% if 1 %}".repeat(700),
    "{{ 9 ** 9 ** 9 }}",
    "{{ 2 ** 1000000000 }}",
    "{{ '%99999999d' | format(1) }}",
    "{{ '%999d' | format(1) }}",
    "{{ '1'.zfill(100000000) }}",
    "{{ 1.5 | round(999999999) }}",
    "{{ 'x' * 1000000000 }}",
    "x".repeat(9000),
    "{{ '".padEnd(8190, "a"),
    "{% for a in range(1000) %}{{ value in value ~ value }}{% endfor %}",
  ];
  const payload = "a".repeat(32_000);
  for (const source of bombs) {
    const result = render(source, payload);
    t.ok(result.length <= 66_000, `${source.slice(0, 40)}: ${result.slice(0, 60)}`);
  }
});

t.test("text operations are charged by length", async (t) => {
  const stepsOf = (source: string): number => {
    const template = parsedTemplate(source);
    if ("unsupported" in template) throw new Error(template.unsupported);
    return template.run({ value: "a".repeat(1_000) }, { left: Number.POSITIVE_INFINITY, now: () => 0 }).steps;
  };
  for (const [tool, steps] of [
    ["| reverse", 500],
    ["| title", 1_000],
    [".lstrip('b')", 125],
    ["| from_json(0)", 125],
    [".split('b')", 140],
    [".replace('b', 'c')", 140],
    [".count('b')", 140],
    [".find('b')", 140],
    ["is search('b')", 140],
  ] as const)
    t.ok(stepsOf(`{{ value ${tool} }}`) >= stepsOf("{{ value | lower }}") - 60 + steps, tool);
});

t.test("no text makes the evaluator throw", async () => {
  const piece = fc.constantFrom(
    "{{",
    "}}",
    "{%",
    "%}",
    "{#",
    "#}",
    "if",
    "for",
    "in",
    "set",
    "else",
    "endif",
    "endfor",
    "value_json",
    "value",
    ".",
    "[",
    "]",
    "(",
    ")",
    "|",
    "float",
    "round",
    "'",
    '"',
    "1",
    "2.5",
    "+",
    "-",
    "~",
    "*",
    "/",
    "is",
    "not",
    "defined",
    ",",
    "=",
    "==",
    "{",
    "}",
    ":",
    " ",
    "%",
    "range",
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 40 }),
      (pieces) => typeof render(pieces.join(" "), JSON_PAYLOAD) === "string",
    ),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (source) => typeof render(`{{ ${source} }}`, JSON_PAYLOAD) === "string"),
    { numRuns: 1000 },
  );
});
