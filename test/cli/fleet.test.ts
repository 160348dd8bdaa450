/** `gatehouse fleet status` against hubs that run, are off, hang, belong to another fleet, or are other servers. */
import { createHash, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { join } from "node:path";
import t from "tap";
import { gatehouse } from "../support/cli.ts";
import { startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

t.test("one line for each hub, in parallel and in time, in every state", async (t) => {
  const folder = testFolder(t, { plain: {}, other: {}, closed: {} });
  const [plain, other] = await Promise.all([
    startHubProcess(join(folder, "plain")),
    startHubProcess(join(folder, "other"), { GATEHOUSE_TLS: "auto" }),
  ]);
  t.teardown(() => Promise.all([plain.stop(), other.stop()]));
  const authority = await (await fetch(`${other.url}/ca.crt`)).text();
  const pin = createHash("sha256").update(new X509Certificate(authority).raw).digest("hex");
  writeFileSync(join(folder, "other.crt"), authority);
  const silent = createTcpServer((socket) => void socket.on("error", () => {}).resume()).listen(0, "127.0.0.1");
  const web = createServer((_, response) => response.end("<h1>A printer</h1>")).listen(0, "127.0.0.1");
  const open = new Set<Socket>();
  silent.on("connection", (socket: Socket) => open.add(socket));
  t.teardown(() => {
    for (const socket of open) socket.destroy();
    silent.close();
  });
  t.teardown(() => web.close());
  for (const server of [silent, web]) if (!server.listening) await once(server, "listening");
  const list = join(folder, "hosts.toml");
  const hosts: Record<string, string> = {
    plain: `url = "${plain.url}"`,
    pinned: `url = "${other.httpsUrl}"\npin = "${pin.toUpperCase().replace(/../g, "$&:").slice(0, -1)}"`,
    trusted: `url = "${other.httpsUrl}"\nca = "other.crt"`,
    stranger: `url = "${other.httpsUrl}"`,
    impostor: `url = "${other.httpsUrl}"\npin = "${"0".repeat(64)}"`,
    printer: `url = "http://127.0.0.1:${portOf(web)}"`,
    silent: `url = "http://127.0.0.1:${portOf(silent)}"`,
    off: 'url = "http://127.0.0.1:1"',
    named: 'url = "http://no-such-hub-here.local"',
  };
  for (let n = 0; n < 12; n++) hosts[`hanging-${n}`] = `url = "https://127.0.0.1:${portOf(silent)}"`;
  const write = (names: readonly string[]): void =>
    writeFileSync(list, names.map((name) => `[hosts.${name}]\n${hosts[name]}\n`).join(""));
  write(Object.keys(hosts));
  const began = performance.now();
  const all = await gatehouse(folder, ["fleet", "status", list, "--timeout", "1.5", "--json"]);
  t.ok(performance.now() - began < 3_000, `${Math.round(performance.now() - began)} ms`);
  t.equal(all.code, 1);
  const report = JSON.parse(all.out);
  const statuses = Object.fromEntries(
    report.hosts.map((host: { name: string; status: string }) => [host.name, host.status]),
  );
  t.match(statuses, {
    ...{ plain: /ok|degraded/, pinned: /ok|degraded/, trusted: /ok|degraded/ },
    ...{
      stranger: "untrusted",
      impostor: "untrusted",
      printer: "foreign",
      silent: "unreachable",
      off: "unreachable",
      named: "unreachable",
    },
    ...{ "hanging-11": "unreachable" },
  });
  t.equal(report.hosts[0].version, JSON.parse(await (await fetch(`${plain.url}/healthz`)).text()).version);

  write(["plain", "off"]);
  const table = await gatehouse(folder, ["fleet", "status", list]);
  t.match(
    table.out,
    /^hub +status +version +took +address +what is wrong\noff +unreachable +- +\d+ ms +http:\/\/127\.0\.0\.1:1 +reach: .*ECONNREFUSED/,
  );
  t.match(table.out, /\n2 hubs: 1 (ok|degraded), 1 unreachable\n$/);
  write(["plain", "pinned"]);
  t.equal((await gatehouse(folder, ["fleet", "status", list])).code, 0);
});

t.test("a wrong list is refused with the place of each mistake", async (t) => {
  const folder = testFolder(t);
  const list = join(folder, "hosts.toml");
  for (const [text, wanted] of [
    ["", /hosts there is no hub/],
    ["[hosts.a]\nurl = 1", /hosts\.a\.url is an address/],
    ['[hosts.a]\nurl = "https://a/path"', /hosts\.a\.url is an address/],
    ['[hosts.a]\nurl = "https://a"\npin = "12"', /hosts\.a\.pin is the SHA-256/],
    [`[hosts.a]\nurl = "http://a"\npin = "${"a".repeat(64)}"`, /hosts\.a\.pin goes with https/],
    ['[hosts.a]\nurl = "https://a"\nca = "none.crt"', /hosts\.a\.ca .*none\.crt/],
    ['[hosts.a]\nurl = "https://a"\nport = 1', /hosts\.a\.port is not known here/],
    ['[hosts.a]\nurl = "https://a"\n[other]\nb = 1', /other is not known here/],
    ["[hosts.a", /not valid TOML/],
  ] as const) {
    writeFileSync(list, text);
    t.match(await gatehouse(folder, ["fleet", "status", list]), { code: 1, err: wanted }, text);
  }
  t.equal((await gatehouse(folder, ["fleet", "stop", list])).code, 2);
  t.equal((await gatehouse(folder, ["fleet", "status", list, "--timeout", "0"])).code, 2);
});
