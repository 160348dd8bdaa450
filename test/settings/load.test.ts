import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { defaultSettings, loadSettings, SettingsError } from "../../src/core/settings/load.ts";
import { settingFields } from "../../src/core/settings/schema.ts";
import { PROJECT_ROOT } from "../support/database.ts";

function mistakesOf(input: Partial<Parameters<typeof loadSettings>[0]>): string {
  try {
    loadSettings({ env: {}, fileText: null, argv: [], ...input });
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return "no mistake";
}

t.test("nothing configured gives the documented values, frozen", async (t) => {
  const { settings, sources } = loadSettings({ env: { PATH: "/bin", HOME: "/root" }, fileText: null, argv: [] });
  t.equal(settings.storage.folder, "./data");
  t.equal(settings.http.port, 8080);
  t.equal(settings.mqtt.port, 1883);
  t.equal(settings.plates.imageRetentionDays, 30);
  t.equal(settings.plates.readRetentionDays, 365);
  t.equal(sources.get("http.port"), "default");
  t.ok(Object.isFrozen(settings) && Object.isFrozen(settings.http) && Object.isFrozen(settings.http.allowedHosts));
});

t.test("the built-in value of every setting satisfies its own bounds", async (t) => {
  const file: Record<string, Record<string, unknown>> = {};
  for (const field of settingFields()) file[field.group] = { ...file[field.group], [field.name]: field.default };
  t.same(defaultSettings(file), defaultSettings());
});

t.test("every setting has a variable of its own and a description", async (t) => {
  const fields = settingFields();
  t.equal(new Set(fields.map((field) => field.env)).size, fields.length);
  for (const field of fields) t.match(field.env, /^[A-Z][A-Z0-9_]+$/, field.key);
  for (const field of fields) t.match(field.description, /^.{10,}\.$/, field.key);
});

t.test("some source uses every setting: one that nobody reads is saved and has no effect", async (t) => {
  let sources = "";
  for await (const file of glob("src/{core,features,cli}/**/*.ts", { cwd: PROJECT_ROOT }))
    if (!/\/(settings|console)(\.ts|\/)/.test(file)) sources += readFileSync(join(PROJECT_ROOT, file), "utf8");
  const used = new Set(sources.match(/\b\w+\b/g));
  t.same(
    settingFields()
      .filter(({ name }) => !used.has(name))
      .map(({ key }) => key),
    [],
  );
});

t.test("file, environment and command line win in this order", async (t) => {
  const fileText = JSON.stringify({ http: { port: 1, host: "127.0.0.1" }, mqtt: { port: 2 } });
  const env = { GATEHOUSE_HTTP_PORT: "3", GATEHOUSE_MQTT_PORT: "4" };
  const { settings, sources } = loadSettings({ fileText, env, argv: ["--mqtt.port=5", "--log.level", "warn"] });
  t.same([settings.http.host, settings.http.port, settings.mqtt.port, settings.log.level], ["127.0.0.1", 3, 5, "warn"]);
  t.same(
    ["http.host", "http.port", "mqtt.port"].map((key) => sources.get(key)),
    ["file", "environment", "command line"],
  );
});

t.test("an empty variable counts as not set", async (t) => {
  t.equal(loadSettings({ env: { GATEHOUSE_HTTP_PORT: "" }, fileText: null, argv: [] }).settings.http.port, 8080);
});

t.test("texts of the environment become the setting's type", async (t) => {
  const env = {
    GATEHOUSE_METRICS: "yes",
    GATEHOUSE_ALLOWED_HOSTS: "hub.example.org, gate.example.org",
    GATEHOUSE_DEMO_SPEED: "2.5",
  };
  const { settings } = loadSettings({ env, fileText: null, argv: [] });
  t.equal(settings.metrics.enabled, true);
  t.same(settings.http.allowedHosts, ["hub.example.org", "gate.example.org"]);
  t.equal(settings.demo.speed, 2.5);
});

t.test("an error names the setting, the fault and where it was given", async (t) => {
  const cases: [Parameters<typeof mistakesOf>[0], string][] = [
    [
      { env: { GATEHOUSE_HTTP_PORT: "70000" } },
      "http.port (GATEHOUSE_HTTP_PORT in the environment): must be a whole number from 0 to 65535, got 70000.",
    ],
    [
      { env: { GATEHOUSE_HTTP_PORT: "80.5" } },
      "http.port (GATEHOUSE_HTTP_PORT in the environment): must be a whole number from 0 to 65535, got 80.5.",
    ],
    [
      { env: { GATEHOUSE_HTTP_PORT: "http" } },
      'http.port (GATEHOUSE_HTTP_PORT in the environment): must be a whole number from 0 to 65535, got "http".',
    ],
    [
      { env: { ANPR_IMAGE_RETENTION_DAYS: "366" } },
      "plates.imageRetentionDays (ANPR_IMAGE_RETENTION_DAYS in the environment): must be a whole number from 0 to 365, got 366.",
    ],
    [{ env: { ANPR_IMAGE_RETENTION_DAYS: "-1" } }, "must be a whole number from 0 to 365, got -1."],
    [{ env: { GATEHOUSE_METRICS: "maybe" } }, 'must be true or false, got "maybe".'],
    [{ env: { GATEHOUSE_LOG_LEVEL: "loud" } }, 'must be one of debug, info, warn, error, got "loud".'],
    [
      { env: { GATEHOUSE_HTP_PORT: "1" } },
      "GATEHOUSE_HTP_PORT in the environment: is not a setting; did you mean GATEHOUSE_HTTP_PORT.",
    ],
    [{ fileText: '{"http":{"prot":1}}' }, "http.prot in the settings file: is not a setting; did you mean http.port."],
    [{ fileText: '{"htp":{"port":1}}' }, "htp.port in the settings file: is not a setting; did you mean http.port."],
    [
      { fileText: '{"http":{"port":"80"}}' },
      'http.port in the settings file: must be a whole number from 0 to 65535, got "80".',
    ],
    [{ fileText: '{"http":7}' }, "http in the settings file: must be an object of settings."],
    [{ fileText: "[]" }, "The settings file must hold one JSON object."],
    [{ fileText: "{nope" }, "The settings file is not valid JSON"],
    [{ fileText: '{"http":{"allowedHosts":["ok.example","bad host"]}}' }, 'has a wrong entry "bad host", got'],
    [{ argv: ["--http.port"] }, "http.port on the command line: needs a value."],
    [{ argv: ["--nonsense"] }, "--nonsense on the command line: is not a setting."],
    [
      { fileText: '{"plates":{"imageRetentionDays":100,"readRetentionDays":50}}' },
      "plates.readRetentionDays (file): must not be shorter than plates.imageRetentionDays (100), got 50.",
    ],
    [{ env: { GATEHOUSE_TLS: "files" } }, "tls.mode (environment): files needs tls.certificateFile and tls.keyFile."],
    [{ env: { GATEHOUSE_TIME_ZONE: "Mars/Base" } }, "site.timeZone (environment): is not a known IANA time zone"],
  ];
  for (const [input, message] of cases)
    t.ok(mistakesOf(input).includes(message), `${message}\n got: ${mistakesOf(input)}`);
});

t.test("the bounds of the retention of plates are inclusive", async (t) => {
  for (const days of ["0", "365"])
    t.equal(mistakesOf({ env: { ANPR_IMAGE_RETENTION_DAYS: days } }), "no mistake", days);
  t.equal(mistakesOf({ env: { ANPR_READ_RETENTION_DAYS: "7", ANPR_IMAGE_RETENTION_DAYS: "7" } }), "no mistake");
  t.match(mistakesOf({ env: { ANPR_READ_RETENTION_DAYS: "6", ANPR_IMAGE_RETENTION_DAYS: "0" } }), /from 7 to 1825/);
});

t.test("all errors are reported at once", async (t) => {
  const message = mistakesOf({
    env: { GATEHOUSE_HTTP_PORT: "x", GATEHOUSE_MQTT_PORT: "y" },
    fileText: '{"a":{"b":1}}',
  });
  t.match(message, /^The configuration has 3 mistakes:\n {2}.*\n {2}.*\n {2}.*$/);
});
