/** Which ports a firewall closes, from what its own program prints. Pure, except for running that program. */
import { isJsonObject } from "../core/kernel/json-object.ts";

interface Port {
  readonly port: number;
  readonly protocol: "tcp" | "udp";
}

/** Services that firewalld knows by name, as far as they concern the hub. */
const SERVICES: Readonly<Record<string, readonly string[]>> = {
  http: ["80/tcp"],
  https: ["443/tcp"],
  mdns: ["5353/udp"],
  mqtt: ["1883/tcp"],
  "mqtt-tls": ["8883/tcp"],
  ntp: ["123/udp"],
};

/** Ports that firewalld's active zones keep closed; null if it does not run or does not tell. */
export async function closedByFirewalld<Wanted extends Port>(
  ask: (words: readonly string[]) => Promise<string | null>,
  wanted: readonly Wanted[],
): Promise<readonly Wanted[] | null> {
  if ((await ask(["--state"]))?.trim() !== "running") return null;
  const [target, ports, services] = [
    await ask(["--list-all"]),
    await ask(["--list-ports"]),
    await ask(["--list-services"]),
  ];
  if (target === null || ports === null || services === null) return null;
  if (/^[ \t]*target:[ \t]*ACCEPT/m.test(target)) return [];
  const open = [...words(ports), ...words(services).flatMap((name) => SERVICES[name] ?? [])];
  return wanted.filter(({ port, protocol }) => !open.some((entry) => covers(entry, port, protocol)));
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

/** `8080/tcp`, `8000-8100/tcp`. */
function covers(entry: string, port: number, protocol: string): boolean {
  const [, first = "", last = first, kind = ""] = /^(\d+)(?:-(\d+))?\/(\w+)$/.exec(entry) ?? [];
  return kind === protocol && port >= Number(first) && port <= Number(last);
}

/**
 * Ports that nftables' input chain drops: those that no rule accepts, if the chain drops by default. `chain` names it
 * in nft's way. Null if the rules jump elsewhere or cannot be read, so that the answer is unknown.
 */
export function closedByNftables<Wanted extends Port>(
  json: string,
  wanted: readonly Wanted[],
): { readonly closed: readonly Wanted[]; readonly chain: string } | null {
  const entries = entriesOf(json);
  if (entries === null) return null;
  const chain = entries
    .map(({ chain: found }) => found)
    .find((found) => isJsonObject(found) && found.hook === "input" && found.policy === "drop");
  if (!isJsonObject(chain)) return { closed: [], chain: "" };
  const name = `${String(chain.family)} ${String(chain.table)} ${String(chain.name)}`;
  const rules = entries
    .map(({ rule }) => rule)
    .filter(
      (rule) => isJsonObject(rule) && `${String(rule.family)} ${String(rule.table)} ${String(rule.chain)}` === name,
    );
  const expressions = rules.map((rule) =>
    isJsonObject(rule) && Array.isArray(rule.expr) ? (rule.expr as readonly unknown[]) : [],
  );
  if (
    expressions.some((expr) =>
      expr.some((part) => isJsonObject(part) && ("jump" in part || "goto" in part || "vmap" in part)),
    )
  )
    return null;
  const accepting = expressions.filter((expr) => expr.some((part) => isJsonObject(part) && "accept" in part));
  return { closed: wanted.filter((port) => !accepting.some((expr) => accepts(expr, port))), chain: name };
}

function entriesOf(json: string): Record<string, unknown>[] | null {
  try {
    const parsed: unknown = JSON.parse(json);
    const list = isJsonObject(parsed) ? parsed.nftables : null;
    return Array.isArray(list) ? list.filter(isJsonObject) : null;
  } catch {
    return null;
  }
}

/** Whether an accepting rule includes the port: it names it, or nothing that would exclude another host on the LAN. */
function accepts(expr: readonly unknown[], { port, protocol }: Port): boolean {
  const matches = expr.flatMap((part) => (isJsonObject(part) && isJsonObject(part.match) ? [part.match] : []));
  return matches.every(({ left, right }) => {
    if (!isJsonObject(left)) return false;
    if (isJsonObject(left.payload)) {
      const { protocol: kind, field } = left.payload;
      if (field === "dport") return (kind === protocol || kind === "th") && holds(right, port);
      return field === "saddr"; // for some addresses: most likely the LAN
    }
    if (isJsonObject(left.meta))
      return left.meta.key === "l4proto" ? right === protocol : left.meta.key === "iifname" && right !== "lo";
    return false; // existing connections, and the like
  });
}

/** A port, a range, or a set of both. */
function holds(right: unknown, port: number): boolean {
  if (right === port) return true;
  if (!isJsonObject(right)) return false;
  if (Array.isArray(right.range)) return port >= Number(right.range[0]) && port <= Number(right.range[1]);
  return Array.isArray(right.set) && right.set.some((one: unknown) => holds(one, port));
}
