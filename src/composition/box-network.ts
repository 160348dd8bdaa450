import { join } from "node:path";
import type { HubKey } from "../access/hub-key.js";
import type { Job } from "../jobs/jobs.js";
import { Problem } from "../kernel/problem.js";
import type { Service } from "../kernel/service.js";
import { smallFileText } from "../kernel/small-file.js";
import { writeFileAtomic } from "../kernel/write-file-atomic.js";
import { interfaceAddresses, MdnsResponder } from "../platform/mdns.js";
import type { AnnouncedService } from "../platform/mdns-records.js";
import type { Base } from "./base.js";
import type { HubParts } from "./parts.js";
import type { CertificateTime, HubTls } from "./tls.js";
import type { WebParts } from "./web-parts.js";

/** The hub's name on the network, and certificates that follow it. */
export interface NetworkParts {
  /** Null while announcing is switched off. */
  readonly mdns: MdnsResponder | null;
  readonly services: readonly Service[];
  readonly jobs: readonly Job[];
  /**
   * Creates a new authority and serves a certificate from it; whoever trusted the old one has to trust again.
   * @throws Problem `conflict` without an authority of its own
   */
  readonly renewAuthority: () => Promise<void>;
}

/** What {@link buildNetwork} works with besides the base. */
export interface NetworkOptions {
  readonly hubKey: HubKey;
  readonly version: string;
  readonly tls: HubTls | null;
  readonly hub: () => Pick<HubParts, "access" | "broker" | "trust"> & { readonly web: WebParts };
}

const HALF_DAY = 12 * 3_600_000;

/** Builds the responder and the renewal of certificates. */
export function buildNetwork(base: Base, options: NetworkOptions): NetworkParts {
  const { clock, logger } = base;
  const { discovery } = base.settings();
  let renewing: Promise<void> = Promise.resolve();
  const renew = (names: readonly string[]): Promise<void> => {
    renewing = renewing.then(() => renewCertificates(base, options, names)); // two at once could mix their files
    return renewing;
  };
  const mdns = discovery.mdns
    ? new MdnsResponder({
        host: discovery.name,
        title: discovery.name === "gatehouse" ? "Gatehouse" : `Gatehouse ${discovery.name}`,
        id: options.hubKey.derive("network id").toString("hex").slice(0, 12),
        services: () => announced(base, options),
        addresses: interfaceAddresses,
        ...keptNumber(join(base.dataFolder, "network-name.json"), discovery.name, (error) =>
          logger.warn({ err: error }, "the name on the network could not be kept"),
        ),
        changed: (hostName) => void renew([hostName]),
        clock,
        logger: logger.child({ part: "mdns" }),
      })
    : null;
  const names = (): string[] => (mdns === null ? [] : [mdns.hostName]);
  return {
    mdns,
    services: [...(mdns === null ? [] : [mdns]), renewal(options, () => renew(names()))],
    jobs: [{ name: "renew-certificates", periodMs: HALF_DAY, atStart: false, run: () => renew(names()) }],
    renewAuthority: async () => {
      const { tls } = options;
      if (!tls?.authority) throw new Problem("conflict", { code: "conflict.noAuthority" });
      if (tls.authority.kind === "given") throw new Problem("conflict", { code: "conflict.givenAuthority" });
      await tls.renewAuthority(base.settings(), timeFor(base, options), names());
      serve(options, tls);
      logger.warn({ fingerprint: tls.authority?.fingerprint }, "the authority was renewed");
    },
  };
}

/** The number that a taken name was given, kept over restarts; a new name starts without one. */
function keptNumber(
  file: string,
  name: string,
  failed: (error: unknown) => void,
): { readonly number: number; readonly settled: (number: number) => void } {
  let kept = 1;
  try {
    const read = JSON.parse(smallFileText(file) ?? "{}") as { name?: unknown; number?: unknown }; // checked below
    if (read.name === name && Number.isInteger(read.number) && Number(read.number) > 1) kept = Number(read.number);
  } catch {
    // None yet, or half of one: the name is found anew.
  }
  const settled = (number: number): void => {
    if (number === kept) return;
    kept = number;
    writeFileAtomic(file, `${JSON.stringify({ name, number })}\n`).catch(failed);
  };
  return { number: kept, settled };
}

function announced(base: Base, { version, tls, hub }: NetworkOptions): AnnouncedService[] {
  const { web, broker, access } = hub();
  const { server } = web;
  const facts: Record<string, string> = {
    v: version,
    api: "/v1",
    tls: String(server.tlsPort),
    claimed: access.claim.claimed ? "1" : "0",
  };
  if (tls?.authority) facts.fp = tls.authority.fingerprint.replaceAll(":", "").toLowerCase();
  const mqtt = {
    type: "_mqtt._tcp",
    port: broker.port ?? 0,
    txt: { root: base.settings().mqtt.topicRoot, tls: String(broker.tlsPort ?? 0) },
  };
  return [
    { type: "_gatehouse._tcp", port: server.port, txt: facts },
    { type: "_http._tcp", port: server.port, txt: { path: "/" } },
    ...(mqtt.port > 0 ? [mqtt] : []),
  ];
}

/**
 * A leaf that nears its end, or lacks a name or address that the box has now, is made again; the owner's own files are
 * read again. Open connections keep theirs.
 */
async function renewCertificates(base: Base, options: NetworkOptions, names: readonly string[]): Promise<void> {
  const { tls } = options;
  try {
    if (tls === null || !(await tls.refresh(base.settings(), timeFor(base, options), names))) return;
    serve(options, tls);
    base.logger.info({ names }, "certificate renewed");
  } catch (error) {
    base.logger.error({ err: error }, "the certificate could not be renewed");
  }
}

/**
 * The leaf was looked at, or made, at a start whose clock may have been wrong: it is looked at again once the time is
 * known, and whenever that changes.
 */
function renewal({ tls, hub }: NetworkOptions, renew: () => Promise<void>): Service {
  let stops: (() => void)[] = [];
  return {
    name: "certificates",
    start: async () => {
      if (tls === null) return;
      const { trust } = hub();
      stops = [trust.onChange(() => void renew()), trust.onJump(() => void renew())];
      if (trust.state() !== "unknown") void renew();
    },
    stop: async () => {
      for (const stop of stops.splice(0)) stop();
    },
  };
}

function timeFor({ clock }: Base, { hub }: NetworkOptions): CertificateTime {
  return { nowMs: clock.now(), isTimeKnown: hub().trust.state() !== "unknown" };
}

function serve({ hub }: NetworkOptions, { server }: HubTls): void {
  const { web, broker } = hub();
  web.server.renewCertificate(server);
  broker.renewTls(server);
}
