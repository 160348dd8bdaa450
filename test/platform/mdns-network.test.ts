/** Two whole hubs with one name on their own network, seen by Avahi: the resolver of most Linux machines. */
import { type ChildProcess, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { eventually } from "../support/hub-process.ts";
import { type PlayedNetwork, playNetwork } from "../support/played-network.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(280_000);
const MAIN = join(PROJECT_ROOT, "src/main.ts");
const [FIRST, SECOND, GUEST] = [0, 1, 2];
/** A busy machine starts two hubs slowly. */
const LIMIT_MS = 90_000;

/** Starts a hub on a machine and returns its output. */
function startHub(
  network: PlayedNetwork,
  machine: number,
  dataFolder: string,
): { output: () => string; stop: () => Promise<unknown> } {
  const env = {
    PATH: process.env.PATH ?? "",
    GATEHOUSE_DATA: dataFolder,
    GATEHOUSE_RECOGNITION: "false",
    GATEHOUSE_SNTP: "false",
    GATEHOUSE_TLS: "own",
  };
  const child = network.start(machine, [process.execPath, MAIN], env);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (text += String(chunk)));
  const gone = new Promise((resolve) => child.once("exit", resolve));
  const stop = (): Promise<unknown> => {
    child.kill("SIGTERM");
    return gone;
  };
  return { output: () => text, stop };
}

/** Avahi on a machine, with its own message bus; commands of its clients are run beside it. */
function startAvahi(network: PlayedNetwork, machine: number) {
  const script = [
    "mount -t tmpfs tmpfs /run && mkdir -p /run/dbus /run/avahi-daemon",
    "dbus-daemon --system --nofork --nopidfile & bus=$!",
    "while [ ! -S /run/dbus/system_bus_socket ]; do sleep 0.05; done",
    "avahi-daemon --no-drop-root --no-rlimits --no-chroot & avahi=$!",
    'trap "kill $avahi $bus; wait; exit 0" TERM',
    "wait",
  ].join("\n");
  const child: ChildProcess = network.start(machine, ["unshare", "--mount", "sh", "-c", script]);
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (log += String(chunk)));
  const ask = (command: string, ...words: string[]): string =>
    spawnSync("nsenter", ["-t", String(child.pid), "--mount", "--net", "timeout", "5", command, ...words], {
      encoding: "utf8",
    }).stdout;
  return {
    ready: () => eventually(() => log.includes("Server startup complete") || undefined, LIMIT_MS),
    /** The address behind a name; undefined without an answer. */
    resolve: (name: string) => /\t(\S+)/.exec(ask("avahi-resolve", "-4", "-n", name))?.[1],
    /** Instances of a service on IPv4: name, host, address, port, and the TXT record's words. */
    browse: (type: string) =>
      ask("avahi-browse", "--resolve", "--parsable", "--terminate", "--no-db-lookup", type)
        .split("\n")
        .filter((line) => /^=;eth0;IPv4;/.test(line))
        .map((line) => {
          const [, , , instance = "", , , host, address, port, txt = ""] = line.split(";");
          return {
            instance,
            host,
            address,
            port,
            txt: [...txt.matchAll(/"([^"]*)"/g)].map(([, word = ""]) => word).sort(),
          };
        })
        .sort((a, b) => a.instance.localeCompare(b.instance)),
  };
}

t.test("two hubs with one name, a move to another address, a goodbye: as Avahi sees them", async (t) => {
  const isInstalled = ["/usr/bin/avahi-browse", "/usr/sbin/avahi-daemon", "/usr/bin/dbus-daemon"].every((file) =>
    existsSync(file),
  );
  const network = isInstalled ? playNetwork(t, 3) : null;
  if (network === null) {
    t.pass(
      isInstalled
        ? "skipped: this user may not make network name spaces"
        : "skipped: avahi-daemon and avahi-utils are not installed",
    );
    return;
  }
  const folder = testFolder(t, { first: {}, second: {} });
  const avahi = startAvahi(network, GUEST);
  await avahi.ready();
  const first = startHub(network, FIRST, join(folder, "first"));
  await eventually(() => avahi.resolve("gatehouse.local") === network.address(FIRST) || undefined, LIMIT_MS);
  const second = startHub(network, SECOND, join(folder, "second"));
  await eventually(() => avahi.resolve("gatehouse-2.local") === network.address(SECOND) || undefined, LIMIT_MS);
  t.equal(avahi.resolve("gatehouse.local"), network.address(FIRST), "the first one keeps the name");
  t.notMatch(first.output(), /another machine has this name/, "and hears nothing but itself");

  const services = await eventually(() => {
    const found = avahi.browse("_gatehouse._tcp");
    return found.length === 2 ? found : undefined;
  }, LIMIT_MS);
  t.match(services, [
    { instance: "Gatehouse", host: "gatehouse.local", address: network.address(FIRST), port: "8080" },
    { instance: "Gatehouse-2", host: "gatehouse-2.local", address: network.address(SECOND), port: "8080" },
  ]);
  const fingerprint = /fingerprint (\S+)/.exec(first.output())?.[1]?.replaceAll(":", "").toLowerCase() ?? "";
  // our own file
  const { version } = JSON.parse(readFileSync(join(PROJECT_ROOT, "package.json"), "utf8")) as { version: string };
  t.match(services[0]?.txt, [
    "api=/v1",
    "claimed=0",
    `fp=${fingerprint}`,
    /^id=[0-9a-f]{12}$/,
    "tls=8443",
    `v=${version}`,
  ]);
  t.not(services[0]?.txt[3], services[1]?.txt[3], "each has its own id");
  t.match(avahi.browse("_mqtt._tcp"), [
    { port: "1883", txt: [/^id=/, "root=gatehouse", "tls=8883"] },
    { instance: "Gatehouse-2" },
  ]);
  t.match(avahi.browse("_http._tcp")[0]?.txt, [/^id=/, "path=/"]);

  network.move(SECOND, "10.77.0.99");
  await eventually(() => avahi.resolve("gatehouse-2.local") === "10.77.0.99" || undefined, LIMIT_MS);
  t.equal(
    avahi.resolve("gatehouse.local"),
    network.address(FIRST),
    "a new address is announced; it takes no other hub's name",
  );
  await second.stop();
  await eventually(() => avahi.browse("_gatehouse._tcp").length === 1 || undefined, LIMIT_MS);
  t.match(avahi.browse("_gatehouse._tcp"), [{ instance: "Gatehouse" }], "a leaving hub says goodbye");

  await first.stop();
  const again = startHub(network, SECOND, join(folder, "second"));
  await eventually(() => avahi.resolve("gatehouse-2.local") === "10.77.0.99" || undefined, LIMIT_MS);
  t.equal(avahi.resolve("gatehouse.local"), undefined, "each keeps its name, in whatever order they start");
  await again.stop();
});
