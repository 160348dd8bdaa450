import { type Command, columns, json, readArguments, UsageError } from "../command.ts";
import type { HostReport } from "./look.ts";

const TIMEOUT_SECONDS = 2;

/** `gatehouse fleet status hosts.toml`. */
export const fleetCommand: Command = {
  name: "fleet",
  summary: "ask many hubs how they are",
  help: `Usage: gatehouse fleet status HOSTS.toml [--timeout SECONDS] [--strict] [--json]

Reads /healthz of every hub on the list at the same time and prints a line for each: those in trouble first, with what is wrong.
A hub that does not answer in time (${TIMEOUT_SECONDS} seconds) is unreachable; one with another hub's certificate is untrusted.

Exit code 0: every hub answers and none has failed; 1: a hub does not answer or has failed. --strict: so does a degraded one.

  ca = "installer-ca.crt"              # for all: trusted in addition to the system's authorities
  [hosts.villa-1]
  url = "https://192.168.1.20"         # or https://villa-1.local, http://192.168.1.20:8080
  pin = "9f2c…"                        # SHA-256 of this hub's own authority: on its page /ca and in its TXT record "fp"
  [hosts.villa-2]
  url = "https://villa-2.example.org"
  ca = "villa-2.crt"                   # a file beside the list`,
  async run(args, io) {
    const { values, positionals } = readArguments(args, { timeout: { type: "string" }, strict: { type: "boolean" } });
    const [what, file, ...more] = positionals;
    if (what !== "status" || file === undefined || more.length > 0)
      throw new UsageError("There is fleet status HOSTS.toml.");
    const seconds = Number(values.timeout ?? TIMEOUT_SECONDS);
    if (!(seconds > 0 && seconds <= 60)) throw new UsageError("--timeout takes seconds, up to 60.");
    const [{ readHosts }, { look }] = await Promise.all([import("./hosts.ts"), import("./look.ts")]);
    const hosts = readHosts(file);
    const reports = await Promise.all(hosts.map((host) => look(host, seconds * 1_000)));
    const counts: Record<string, number> = {};
    for (const { status } of reports) counts[status] = (counts[status] ?? 0) + 1;
    io.out(values.json ? json({ counts, hosts: reports }) : table(reports, counts));
    const isGood = ({ status }: HostReport): boolean =>
      status === "ok" || (status === "degraded" && values.strict !== true);
    return reports.every(isGood) ? 0 : 1;
  },
};

/** The worst first, each group in the list's order. */
const ORDER: readonly HostReport["status"][] = ["untrusted", "foreign", "unreachable", "failed", "degraded", "ok"];

function table(reports: readonly HostReport[], counts: Readonly<Record<string, number>>): string {
  const sorted = ORDER.flatMap((status) => reports.filter((report) => report.status === status));
  const rows = sorted.map(({ name, status, version, tookMs, troubles, url }) => {
    return [
      name,
      status,
      version ?? "-",
      `${tookMs} ms`,
      url,
      troubles.map(({ code, text }) => `${code}: ${text}`).join(" | "),
    ];
  });
  const summary = ORDER.toReversed().flatMap((status) =>
    counts[status] === undefined ? [] : [`${counts[status]} ${status}`],
  );
  return `${columns(["hub", "status", "version", "took", "address", "what is wrong"], rows)}${reports.length} hubs: ${summary.join(", ")}\n`;
}
