/** docs/monitoring works for an installer: against a real hub and Debian's own Prometheus. */
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { GOOD_PASSWORD } from "../support/access.ts";
import { gatehouse } from "../support/cli.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { eventually, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const FOLDER = join(PROJECT_ROOT, "docs/monitoring");
const read = (name: string): string => readFileSync(join(FOLDER, name), "utf8");
const hasPrometheus = spawnSync("promtool", ["--version"]).status === 0;
const skip = hasPrometheus ? false : "prometheus is not installed (Debian: prometheus)";

function promtool(...args: string[]): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync("promtool", args, { cwd: FOLDER, encoding: "utf8" });
  return { status, text: stdout + stderr };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

t.test("the alerts are well formed, fire when they should, and stay silent for a healthy hub", { skip }, async (t) => {
  for (const args of [
    ["check", "rules", "gatehouse-alerts.yml"],
    ["test", "rules", "gatehouse-alerts-test.yml"],
  ]) {
    const { status, text } = promtool(...args);
    t.equal(status, 0, text);
  }
  const alerts = [...read("gatehouse-alerts.yml").matchAll(/alert: (\w+)/g)].map(([, name = ""]) => name);
  t.ok(alerts.length >= 10);
  for (const alert of alerts) t.ok(read("gatehouse-alerts-test.yml").includes(alert), `${alert} has its test`);
});

/** The parts of a dashboard that Grafana reads when it is provisioned or imported, as far as this one uses them. */
interface Dashboard {
  readonly id?: null;
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string; readonly query: unknown }[];
  };
  readonly panels: readonly {
    readonly id: number;
    readonly type: string;
    readonly title: string;
    readonly datasource: { readonly type: string; readonly uid: string };
    readonly gridPos: Readonly<Record<"x" | "y" | "w" | "h", number>>;
    readonly targets: readonly { readonly refId: string; readonly expr: string }[];
  }[];
}
const dashboard = JSON.parse(read("gatehouse-dashboard.json")) as Dashboard; // checked below
const expressions = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => ({ title, expr: expr.replaceAll("$hub", ".*") })),
);

t.test(
  "the dashboard can be provisioned from a file: no id, panels side by side, existing variables, one data source for all",
  async (t) => {
    t.notOk(typeof dashboard.id === "number", "an id belongs to another Grafana");
    t.match(dashboard, { uid: /^[A-Za-z0-9_-]{1,40}$/, title: /\w/ });
    t.ok(dashboard.schemaVersion >= 36, "data sources by uid");
    const names = new Set(["__all", "datasource", ...dashboard.templating.list.map(({ name }) => name)]);
    for (const [, name = ""] of JSON.stringify(dashboard).matchAll(/\$\{?([a-z]\w*)/g))
      t.ok(names.has(name), `$${name}`);
    const cells = new Set<string>();
    const ids = new Set<number>();
    for (const { id, type, title, datasource, gridPos, targets } of dashboard.panels) {
      t.notOk(ids.has(id), `${title}: its id is its own`);
      ids.add(id);
      t.ok(["stat", "bargauge", "timeseries", "table", "gauge"].includes(type), `${title}: ${type} comes with Grafana`);
      t.same(datasource, { type: "prometheus", uid: `\${datasource}` }, title);
      t.ok(
        targets.length > 0 && new Set(targets.map(({ refId }) => refId)).size === targets.length,
        `${title}: its queries have names`,
      );
      const { x, y, w, h } = gridPos;
      t.ok(w > 0 && h > 0 && x >= 0 && x + w <= 24, `${title}: within 24 columns`);
      for (let column = x; column < x + w; column++)
        for (let row = y; row < y + h; row++) {
          if (cells.has(`${column} ${row}`)) t.fail(`${title}: overlaps another panel`);
          cells.add(`${column} ${row}`);
        }
    }
  },
);

t.test("the hub provides every metric that rules and dashboard use, and Prometheus reads it", { skip }, async (t) => {
  const folder = testFolder(t, { hub: {}, prometheus: {} });
  const data = join(folder, "hub");
  const document = {
    account: { email: "owner@example.org", password: GOOD_PASSWORD },
    devices: [{ id: "plug-1" }, { id: "plug-2" }],
    webhooks: (["live", "test"] as const).map((env) => ({
      url: "http://192.168.1.20/",
      events: ["device.state"],
      env,
    })),
    settings: { "metrics.enabled": true },
  };
  t.equal((await gatehouse(data, ["provision", "-"], { input: JSON.stringify(document) })).code, 0);
  const database = new SqliteDatabase(join(data, "gatehouse.db"));
  const off = database.prepare("UPDATE webhook SET active = 0, disabled_at = 1, disabled_reason = 'failures'").run();
  t.equal(off.changes, 2);
  database.close();
  const hub = await startHubProcess(data, { GATEHOUSE_TLS: "auto" });
  t.teardown(() => hub.stop());
  const text = await (await fetch(`${hub.url}/metrics`)).text();
  const known = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = ""]) => name));
  const asked = (pattern: RegExp) =>
    `${read("gatehouse-alerts.yml")}${read("gatehouse-dashboard.json")}`.matchAll(pattern);
  const wanted = [...new Set([...asked(/\b(gatehouse_\w+?)(_bucket)?\b(?=[{ )[\\])/g)].map(([, name = ""]) => name))];
  t.ok(wanted.length > 12, wanted.join(" "));
  for (const name of wanted) t.ok(known.has(name), name);
  for (const check of read("gatehouse-alerts.yml").matchAll(/check="([\w-]+)"/g))
    t.match(text, `gatehouse_health_level{check="${check[1]}"}`);
  for (const certificate of ["server", "authority"])
    t.match(
      text,
      new RegExp(`gatehouse_certificate_expiry_timestamp_seconds\\{certificate="${certificate}"\\} \\d{10}`),
    );
  t.match(text, /^gatehouse_devices 2$/m);
  t.match(text, /^gatehouse_devices_offline 0$/m);
  t.match(text, /^gatehouse_webhooks_disabled 1$/m, "the test household's alerts wake no one");
  const types = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)/gm)].map(([, name = "", type = ""]) => [name, type]));
  for (const [, name = ""] of asked(/\b(?:rate|increase)\((\w+?)(?:_bucket)?[{[]/g))
    t.match(types.get(name), /^(counter|histogram)$/, `${name} only grows`);
  const lint = spawnSync("promtool", ["check", "metrics"], {
    input: `${text
      .split("\n")
      .filter((line) =>
        /gatehouse_(health|disk|backup|devices|gate_commands_failed|clock|webhooks_disabled|certificate|info)/.test(
          line,
        ),
      )
      .join("\n")}\n`,
    encoding: "utf8",
  });
  t.equal(lint.status, 0, lint.stdout + lint.stderr);

  const own = join(folder, "prometheus");
  const target = new URL(hub.url).host;
  const config = read("prometheus.yml")
    .replace("scheme: https", "scheme: http")
    .replace(/ {4}tls_config:\n(?: {6}.*\n)+/, "")
    .replace(/targets: .*/, `targets: ["${target}"]`)
    .replaceAll("30s", "1s");
  writeFileSync(join(own, "prometheus.yml"), config);
  copyFileSync(join(FOLDER, "gatehouse-alerts.yml"), join(own, "gatehouse-alerts.yml"));
  const port = await freePort();
  const args = [
    `--config.file=${join(own, "prometheus.yml")}`,
    `--storage.tsdb.path=${join(own, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const prometheus = spawn("prometheus", args, { stdio: "ignore" });
  t.teardown(() => prometheus.kill("SIGKILL"));
  const ask = async (query: string): Promise<{ metric: Record<string, string>; value: [number, string] }[]> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`);
    return (
      (await answer.json()) as { data: { result: { metric: Record<string, string>; value: [number, string] }[] } }
    ).data.result; // Prometheus' own shape
  };
  const up = await eventually(async () => {
    const found = await ask('up{job="gatehouse"} == 1').catch(() => []);
    return found.length > 0 ? found : undefined;
  }, 30_000);
  t.equal(up[0]?.metric.instance, target);
  t.equal((await ask("gatehouse_devices"))[0]?.value[1], "2");
  t.ok((await ask("gatehouse_health_level")).length > 8);
  for (const { title, expr } of expressions) {
    const answer = (await (
      await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`)
    ).json()) as {
      status: string;
      error?: string;
    }; // its own shape
    t.equal(answer.status, "success", `${title}: ${answer.error ?? ""}`);
  }
  for (const name of wanted)
    t.ok((await ask(`{__name__=~"${name}(_bucket)?"}`)).length > 0 || !/^# TYPE/.test(name), `${name} has been read`);
  const rules = (await (await fetch(`http://127.0.0.1:${port}/api/v1/rules`)).json()) as {
    data: { groups: { rules: { health: string; lastError?: string }[] }[] };
  }; // Prometheus' own shape
  for (const rule of rules.data.groups.flatMap((group) => group.rules)) t.equal(rule.lastError ?? "", "");
});
