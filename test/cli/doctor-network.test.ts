/**
 * The findings of `gatehouse doctor` about a machine's network: machines are network name spaces, firewalls are
 * programs that print the output of real ones.
 */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { closedByNftables } from "../../src/cli/firewalls.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(120_000);
const CLI = join(PROJECT_ROOT, "scripts/gatehouse.mjs");
const SPACE = ["unshare", "--net"];
const skip =
  spawnSync(SPACE[0] ?? "", [...SPACE.slice(1), "ip", "link"]).status === 0
    ? false
    : "this user may not make network name spaces";

interface Finding {
  readonly level: string;
  readonly text: string;
}

/** The findings by their codes, on a machine that `setUp` (shell) prepares. */
async function examine(
  t: Test,
  setUp: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Record<string, Finding>> {
  const folder = join(t.testdirName, Math.random().toString(36).slice(2));
  mkdirSync(folder, { recursive: true });
  const script = `held=\nip link set lo up\n${setUp}\n"$0" "$1" doctor --json --data "$2" || true\n[ -z "$held" ] || kill "$held"`;
  const child = spawn(
    SPACE[0] ?? "",
    [...SPACE.slice(1), "sh", "-ec", script, process.execPath, CLI, join(folder, "data")],
    {
      env: { PATH: process.env.PATH, GATEHOUSE_STORAGE_MIN_FREE_MB: "1", GATEHOUSE_TLS: "off", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => (out += String(chunk)));
  child.stderr.on("data", (chunk) => (err += String(chunk)));
  await new Promise((resolve) => child.once("close", resolve));
  if (!out.startsWith("{")) throw new Error(`doctor printed nothing: ${out}${err}`);
  const { checks } = JSON.parse(out) as { checks: (Finding & { code: string })[] }; // as doctor prints it
  return Object.fromEntries(checks.map((check) => [check.code, check]));
}

/** An interface that is up, like a plugged-in cable. */
function lan(name: string, address: string, more = ""): string {
  const cable = `ip link add ${name} type veth peer name veth-${name} && ip link set veth-${name} up`;
  return `${cable}\n${more}\nip link set ${name} up\nip address add ${address} dev ${name}`;
}

const NO_SIX = (name: string): string => `ip link set ${name} addrgenmode none`;
/** Holds a port of the machine until doctor has ended. */
const holding = (options: string): string =>
  `"$0" -e 'require("dgram").createSocket(${options}).bind(5353);setTimeout(()=>process.exit(),60000)' >/dev/null 2>&1 & held=$!
  until grep -q ":14E9 " /proc/net/udp; do sleep 0.05; done`;

/** Folder with programs that print a text. */
function programs(t: Test, named: Readonly<Record<string, string>>): string {
  const folder = join(t.testdirName, `bin-${Math.random().toString(36).slice(2)}`);
  mkdirSync(folder, { recursive: true });
  for (const [name, body] of Object.entries(named)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return `${folder}:${process.env.PATH}`;
}

t.test("no network, several networks, no router, no IPv6: each with a remedy", { skip }, async (t) => {
  testFolder(t);
  const matter = { GATEHOUSE_MATTER: "true" };
  const two = `${lan("eth0", "192.168.1.5/24")}\n${lan("wlan0", "10.0.0.5/24")}`;
  const [none, one, several, severalMatter, missing, alone, noSix, noSixThere] = await Promise.all([
    examine(t, ""),
    examine(t, `${lan("eth0", "192.168.1.5/24")}\n${lan("docker0", "172.17.0.1/16")}`),
    examine(t, two),
    examine(t, two, matter),
    examine(t, two, { ...matter, GATEHOUSE_MATTER_INTERFACE: "wlan9" }),
    examine(t, lan("eth0", "169.254.7.7/16")),
    examine(t, lan("eth0", "192.168.1.5/24", NO_SIX("eth0")), matter),
    examine(t, `${lan("eth0", "192.168.1.5/24", NO_SIX("eth0"))}\n${lan("wlan0", "10.0.0.5/24")}`, {
      ...matter,
      GATEHOUSE_MATTER_INTERFACE: "eth0",
    }),
  ]);
  t.match(none, {
    network: { level: "warning", text: /There is no network: plug in the cable/ },
    ipv6: { level: "ok", text: /Only Matter would need it/ },
  });
  t.match(one, {
    network: { level: "ok", text: "eth0 (192.168.1.5)." },
    ipv6: { level: "ok", text: /link-local addresses only: enough/ },
  });
  t.match(several?.network, { level: "ok", text: /eth0 \(192\.168\.1\.5\), wlan0 \(10\.0\.0\.5\)/ });
  t.match(severalMatter?.network, { level: "warning", text: /matter\.networkInterface/ });
  t.match(missing?.network, { level: "failed", text: /wlan9, which is not there/ });
  t.match(alone?.network, { level: "warning", text: /No router gave this machine an address/ });
  t.match(noSix?.ipv6, {
    level: "failed",
    text: /Matter cannot work without it\. It is switched off .*sysctl -w net\.ipv6\.conf\.all\.disable_ipv6=0/,
  });
  t.match(noSixThere?.ipv6, { level: "failed", text: /no IPv6 on eth0, which Matter keeps to/ }, "another has it");
});

t.test("a shared UDP port 5353, and an exclusive one; a taken Matter port", { skip }, async (t) => {
  testFolder(t);
  const network = lan("eth0", "192.168.1.5/24");
  const [shared, kept, off, taken] = await Promise.all([
    examine(t, `${network}\n${holding('{type:"udp4",reuseAddr:true}')}`),
    examine(t, `${network}\n${holding('{type:"udp4"}')}`),
    examine(t, `${network}\n${holding('{type:"udp4"}')}`, { GATEHOUSE_MDNS: "false" }),
    examine(t, `${network}\n${holding('{type:"udp4"}')}`, { GATEHOUSE_MATTER: "true", GATEHOUSE_MATTER_PORT: "5353" }),
  ]);
  t.equal(shared?.mdns?.level, "ok");
  t.match(kept?.mdns, { level: "failed", text: /keeps UDP port 5353 to itself/ });
  t.match(off?.mdns, { level: "ok", text: /switched off/ });
  t.match(taken?.ports, { level: "failed", text: /Matter port 5353: another program uses it/ });
});

/** The output of `nft -j list ruleset` for a table that admits only ssh, http and established connections. */
const RULESET = {
  nftables: [
    { metainfo: { version: "1.0.6", json_schema_version: 1 } },
    { table: { family: "inet", name: "filter", handle: 1 } },
    {
      chain: {
        family: "inet",
        table: "filter",
        name: "input",
        handle: 1,
        type: "filter",
        hook: "input",
        prio: 0,
        policy: "drop",
      },
    },
    rule([
      { match: { op: "in", left: { ct: { key: "state" } }, right: ["established", "related"] } },
      { accept: null },
    ]),
    rule([{ match: { op: "==", left: { meta: { key: "iifname" } }, right: "lo" } }, { accept: null }]),
    rule([
      {
        match: {
          op: "==",
          left: { payload: { protocol: "tcp", field: "dport" } },
          right: { set: [22, { range: [8_000, 8_100] }] },
        },
      },
      { accept: null },
    ]),
    rule([
      { match: { op: "==", left: { payload: { protocol: "udp", field: "dport" } }, right: 67 } },
      { counter: { packets: 0, bytes: 0 } },
      { accept: null },
    ]),
  ],
};

function rule(expr: readonly object[]): object {
  return { rule: { family: "inet", table: "filter", chain: "input", handle: 4, expr } };
}

t.test("a firewall that blocks phones is named with the command that opens it", { skip }, async (t) => {
  testFolder(t);
  const network = lan("eth0", "192.168.1.5/24");
  const nft = programs(t, { nft: `cat <<'END'\n${JSON.stringify(RULESET)}\nEND`, "firewall-cmd": "exit 1" });
  const firewalld = programs(t, {
    nft: "exit 1",
    "firewall-cmd":
      'case "$1" in --state) echo running;; --list-all) echo "  target: default";; --list-ports) echo 8080/tcp;; --list-services) echo "ssh mdns mqtt ntp";; esac',
  });
  const blind = programs(t, { nft: "exit 1", "firewall-cmd": "exit 1" });
  const matter = { GATEHOUSE_MATTER: "true" };
  const [byNft, byFirewalld, unseen] = await Promise.all([
    examine(t, network, { ...matter, PATH: nft }),
    examine(t, network, { ...matter, PATH: firewalld }),
    examine(t, network, { ...matter, PATH: blind }),
  ]);
  t.match(byNft?.firewall, {
    level: "warning",
    text: /nftables keeps others from mqtt \(1883\/tcp\), Matter \(5540\/udp\), mDNS \(5353\/udp\), time server \(123\/udp\)\. To open: nft insert rule inet filter input tcp dport 1883 accept; /,
  });
  t.match(byFirewalld?.firewall, {
    level: "warning",
    text: /firewalld keeps others from Matter \(5540\/udp\)\. To open: firewall-cmd --permanent --add-port=5540\/udp && firewall-cmd --reload/,
  });
  t.match(unseen?.firewall, {
    level: "ok",
    text: /Cannot be looked at by this user.* it needs 8080\/tcp, 1883\/tcp, 5540\/udp, 5353\/udp, 123\/udp/,
  });
});

t.test("rules of nftables, one by one", async (t) => {
  const wanted = [{ port: 8_080, protocol: "tcp" as const }];
  const input = (policy: string, ...expressions: object[][]): string =>
    JSON.stringify({
      nftables: [
        { chain: { family: "ip", table: "t", name: "in", hook: "input", policy } },
        ...expressions.map((expr) => ({ rule: { family: "ip", table: "t", chain: "in", expr } })),
      ],
    });
  const closed = (...expressions: object[][]): number | null =>
    closedByNftables(input("drop", ...expressions), wanted)?.closed.length ?? null;
  const port = (right: unknown, protocol = "tcp"): object => ({
    match: { op: "==", left: { payload: { protocol, field: "dport" } }, right },
  });
  const accept = { accept: null };
  t.same(closedByNftables(input("accept"), wanted), { closed: [], chain: "" }, "unmatched packets are accepted");
  t.equal(closed(), 1, "nothing is accepted");
  t.equal(closed([accept]), 0, "everything is");
  t.equal(closed([port(8_080), accept]), 0);
  t.equal(closed([port(8_080, "udp"), accept]), 1, "for another protocol");
  t.equal(closed([port(8_080), { drop: null }]), 1);
  t.equal(
    closed([
      { match: { op: "==", left: { payload: { protocol: "ip", field: "saddr" } }, right: "192.168.1.0" } },
      accept,
    ]),
    0,
    "for the LAN",
  );
  t.equal(closed([port(8_080), { jump: { target: "mine" } }]), null, "other tables are not judged");
  for (const odd of ["", "{", "[]", '{"nftables":3}', '{"nftables":[null,{"chain":null},{"rule":7}]}'])
    t.doesNotThrow(() => closedByNftables(odd, wanted), odd);
});
