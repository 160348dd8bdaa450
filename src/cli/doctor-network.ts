/**
 * The checks of `gatehouse doctor` on the machine's network: what others need to find the hub, and what may be in the
 * way.
 */
import { execFile } from "node:child_process";
import { createSocket } from "node:dgram";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { join } from "node:path";
import { bad, type Check, type Finding, ok, type Patient, warning } from "./findings.ts";
import { closedByFirewalld, closedByNftables } from "./firewalls.ts";

const MDNS_PORT = 5353;
/** Bridges of containers, tunnels and the like: nobody's phone is there. */
const NOT_A_LAN = /^(docker|br-|veth|virbr|lxc|lxd|tun|tap|wg|tailscale|zt|podman|cni|flannel)/;
const PROGRAM_LIMIT_MS = 5_000;
const PROGRAM_FOLDERS = "/usr/sbin:/usr/bin:/sbin:/bin";
const AVAHI_FILE = "/etc/avahi/avahi-daemon.conf";

/** A port that the hub uses, and why. */
interface WantedPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: "tcp" | "udp";
}

/** Addresses of each interface of the local network; without loopback, containers and tunnels. */
function lanInterfaces(): [name: string, addresses: readonly NetworkInterfaceInfo[]][] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) => {
    const outer = addresses.filter(({ internal }) => !internal);
    return outer.length === 0 || NOT_A_LAN.test(name) ? [] : [[name, outer]];
  });
}

/** Whether there is a network, and which one the hub uses. */
const network: Check = ({ settings }) => {
  const all = lanInterfaces();
  const { enabled, networkInterface } = settings.matter;
  if (all.length === 0)
    return warning(
      "network",
      "There is no network: plug in the cable, or join the Wi-Fi. Nobody but this machine can reach the hub.",
    );
  const shown = all
    .map(
      ([name, addresses]) => `${name} (${addresses.find(({ family }) => family === "IPv4")?.address ?? "IPv6 only"})`,
    )
    .join(", ");
  if (enabled && networkInterface !== "" && !all.some(([name]) => name === networkInterface))
    return bad(
      "network",
      `matter.networkInterface is ${networkInterface}, which is not there or not connected; there is ${shown}. Set another one, or leave it empty.`,
    );
  const fours = all.flatMap(([, addresses]) => addresses.filter(({ family }) => family === "IPv4"));
  if (fours.length > 0 && fours.every(({ address }) => address.startsWith("169.254.")))
    return warning(
      "network",
      `No router gave this machine an address (${shown}): look at the cable and the router's DHCP, or give it a fixed address. Phones on another network do not reach it.`,
    );
  if (all.length > 1 && enabled && networkInterface === "")
    return warning(
      "network",
      `Several networks: ${shown}. Matter speaks on all of them; name the one with the phones in matter.networkInterface if pairing fails.`,
    );
  return ok(
    "network",
    all.length === 1 ? `${shown}.` : `Several networks: ${shown}. The hub can be found and reached on each.`,
  );
};

/** Whether there is IPv6, which Matter needs and nothing else does. */
const ipv6: Check = ({ settings }) => {
  const { enabled: isNeeded, networkInterface } = settings.matter;
  const only = isNeeded ? networkInterface : "";
  const sixes = lanInterfaces()
    .filter(([name]) => only === "" || name === only)
    .flatMap(([, addresses]) => addresses.filter(({ family }) => family === "IPv6"));
  if (sixes.some(({ address }) => !address.startsWith("fe80")))
    return ok("ipv6", "There, with addresses beyond link-local ones.");
  if (sixes.length > 0)
    return ok("ipv6", "There, with link-local addresses only: enough for everything on the same network, Matter too.");
  const found = existsSync("/proc/net/if_inet6")
    ? "switched off on this machine or this interface: sysctl -w net.ipv6.conf.all.disable_ipv6=0, and the same in /etc/sysctl.d for the next start; where NetworkManager holds the connection: nmcli connection modify NAME ipv6.method auto"
    : "not in the running system: take ipv6.disable=1 out of the kernel's command line (on a Raspberry Pi cmdline.txt), and restart the machine";
  return isNeeded
    ? bad(
        "ipv6",
        `There is no IPv6${only === "" ? "" : ` on ${only}, which Matter keeps to (matter.networkInterface)`}, and Matter cannot work without it. It is ${found}. The router needs no IPv6 for that.`,
      )
    : ok("ipv6", "There is none. Only Matter would need it; it is switched off.");
};

/** Whether the hub can announce its name beside others that do. */
const mdns: Check = async ({ settings }) => {
  if (!settings.discovery.mdns && !settings.matter.enabled)
    return ok("mdns", "Announcing on the network is switched off.");
  const code = await udpProblem(MDNS_PORT, true);
  const avahi = isRunning("avahi-daemon");
  const keeps = existsSync(AVAHI_FILE) && /^[ \t]*disallow-other-stacks[ \t]*=[ \t]*yes/m.test(readOr(AVAHI_FILE));
  if (code === "EADDRINUSE")
    return bad(
      "mdns",
      avahi && keeps
        ? `Avahi keeps UDP port ${MDNS_PORT} to itself: set disallow-other-stacks=no in ${AVAHI_FILE}, then systemctl restart avahi-daemon.`
        : `Another program keeps UDP port ${MDNS_PORT} to itself (ss -lunp 'sport = :${MDNS_PORT}' names it): stop it, or have it share the port. Until then nobody finds the hub by its name.`,
    );
  if (code !== null)
    return warning("mdns", `UDP port ${MDNS_PORT} cannot be opened (${code}): the hub is found by its address only.`);
  return ok(
    "mdns",
    avahi
      ? `UDP port ${MDNS_PORT} is shared with Avahi; each answers for its own names.`
      : `UDP port ${MDNS_PORT} can be opened.`,
  );
};

/** Whether the ports of the settings are free; for a running hub, they are its own. */
const ports: Check = async (patient) => {
  if (patient.running)
    return ok(
      "ports",
      "The hub runs and holds them; its health list (System, Health) names one that it could not have.",
    );
  const { host } = patient.settings.http;
  const problems: string[] = [];
  for (const { name, port, protocol } of wantedPorts(patient)) {
    const code = protocol === "tcp" ? await tcpProblem(host, port) : await udpProblem(port, false);
    if (code !== null) problems.push(`${name} port ${port}: ${PORT_PROBLEMS[code] ?? code}`);
  }
  return problems.length === 0 ? ok("ports", "Free.") : bad("ports", `${problems.join("; ")}.`);
};

const PORT_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program uses it; stop that, or set another port",
  EACCES: "this user may not use it; take one above 1023, or let systemd give it",
  EADDRNOTAVAIL: "the address of GATEHOUSE_HOST is not one of this machine",
};

function wantedPorts({ settings, dataFolder }: Patient): WantedPort[] {
  const { http, mqtt, tls, matter } = settings;
  const isEncrypted =
    tls.mode === "own" ||
    tls.mode === "files" ||
    (tls.mode === "auto" && existsSync(join(dataFolder, "tls", "authority.crt")));
  const all: (WantedPort & { readonly isWanted: boolean })[] = [
    { name: "http", port: http.port, protocol: "tcp", isWanted: true },
    { name: "mqtt", port: mqtt.port, protocol: "tcp", isWanted: mqtt.plain },
    { name: "https", port: tls.httpsPort, protocol: "tcp", isWanted: isEncrypted },
    { name: "mqtts", port: tls.mqttsPort, protocol: "tcp", isWanted: isEncrypted },
    { name: "Matter", port: matter.port, protocol: "udp", isWanted: matter.enabled },
  ];
  return all.filter(({ isWanted, port }) => isWanted && port > 0);
}

/** Whether a firewall of this machine lets others reach the hub, as far as this user can see. */
const firewall: Check = async (patient) => {
  const wanted = [...wantedPorts(patient)];
  if (patient.settings.discovery.mdns || patient.settings.matter.enabled)
    wanted.push({ name: "mDNS", port: MDNS_PORT, protocol: "udp" });
  const { sntp } = patient.settings;
  // Not among the ports that must be free: if the system serves the time, the hub leaves it to the system.
  if (sntp.enabled && sntp.port > 0) wanted.push({ name: "time server", port: sntp.port, protocol: "udp" });
  const firewalld = await closedByFirewalld((words) => ask(patient, "firewall-cmd", words), wanted);
  if (firewalld !== null) {
    const open = firewalld.map(({ port, protocol }) => `--add-port=${port}/${protocol}`).join(" ");
    return told(firewalld, "firewalld", `firewall-cmd --permanent ${open} && firewall-cmd --reload`);
  }
  const rules = await ask(patient, "nft", ["-j", "list", "ruleset"]);
  const needed = wanted.map(({ port, protocol }) => `${port}/${protocol}`).join(", ");
  if (rules === null)
    return ok(
      "firewall",
      `Cannot be looked at by this user, or there is none. If phones do not reach the hub: as root, nft list ruleset or firewall-cmd --list-all; it needs ${needed}.`,
    );
  const nftables = closedByNftables(rules, wanted);
  if (nftables === null)
    return ok(
      "firewall",
      `Its rules are of a kind that doctor does not judge. If phones do not reach the hub, see with nft list ruleset whether ${needed} are open.`,
    );
  const { closed, chain } = nftables;
  return told(
    closed,
    "nftables",
    closed.map(({ port, protocol }) => `nft insert rule ${chain} ${protocol} dport ${port} accept`).join("; "),
  );
};

function told(closed: readonly WantedPort[], by: string, remedy: string): Finding {
  if (closed.length === 0) return ok("firewall", "Lets others through to the hub, or there is none.");
  const names = closed.map(({ name, port, protocol }) => `${name} (${port}/${protocol})`).join(", ");
  return warning("firewall", `${by} keeps others from ${names}. To open: ${remedy}`);
}

/** What a program prints; null if it does not exist, fails, or takes too long. */
function ask({ io }: Patient, program: string, words: readonly string[]): Promise<string | null> {
  const path = io.env.PATH === undefined ? PROGRAM_FOLDERS : `${io.env.PATH}:${PROGRAM_FOLDERS}`;
  return new Promise((resolve) => {
    execFile(
      program,
      [...words],
      { env: { PATH: path, LC_ALL: "C" }, timeout: PROGRAM_LIMIT_MS, maxBuffer: 8 * 1_048_576 },
      (error, printed) => resolve(error === null ? printed : null),
    );
  });
}

function tcpProblem(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

function udpProblem(port: number, isShared: boolean): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = createSocket({ type: "udp4", reuseAddr: isShared });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      socket.close();
      resolve(error.code ?? error.message);
    });
    socket.bind({ port, exclusive: true }, () => socket.close(() => resolve(null)));
  });
}

/** Whether a program with this name is running. */
function isRunning(program: string): boolean {
  const name = program.slice(0, 15); // what the kernel keeps of it
  return readdirSync("/proc").some((entry) => /^\d+$/.test(entry) && readOr(`/proc/${entry}/comm`).trim() === name);
}

function readOr(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // it has ended, or may not be read
  }
}

/** The checks, in the order in which they are shown. */
export const NETWORK_CHECKS: readonly Check[] = [network, ipv6, ports, mdns, firewall];
