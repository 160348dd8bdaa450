import { hostname } from "node:os";
import { join } from "node:path";
import type { Json } from "../../core/api/route.ts";
import type { Base } from "../../core/base.ts";
import { type Feature, job, type PlacedService } from "../../core/feature.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Service } from "../../core/kernel/service.ts";
import { smallFileText } from "../../core/kernel/small-file.ts";
import { writeFileAtomic } from "../../core/kernel/write-file-atomic.ts";
import type { ServerCertificate } from "../../core/platform/certificates.ts";
import { interfaceAddresses, MdnsResponder } from "../../core/platform/mdns.ts";
import type { AnnouncedService } from "../../core/platform/mdns-records.ts";
import { isPermitted } from "../../core/platform/name-constraints.ts";
import { localAddresses } from "../../core/platform/network.ts";
import { type CertificateTime, hasUncoveredName, isPlainHttpClosed } from "../../core/platform/tls.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { MqttFeature } from "../mqtt/feature.ts";
import type { Network } from "./api/console-network.ts";
import { encryptionCheck } from "./health/encryption.ts";
import { networkRoutes } from "./routes/console-network.ts";

const HALF_DAY = 12 * 3_600_000;

/** The hub's name on the network, its addresses, and certificates that follow both. */
export class NetworkFeature implements Feature {
  /** Null while announcing is switched off. */
  readonly mdns: MdnsResponder | null;
  readonly services: readonly PlacedService[];
  readonly #base: Base;
  readonly #access: AccessFeature;
  readonly #mqtt: MqttFeature;
  #serve: (certificate: ServerCertificate) => void = () => {};
  #renewing: Promise<void> = Promise.resolve();

  constructor(base: Base, { access, mqtt }: { readonly access: AccessFeature; readonly mqtt: MqttFeature }) {
    const { hubKey, dataFolder, clock, logger } = base;
    const { discovery } = base.settings();
    this.#base = base;
    this.#access = access;
    this.#mqtt = mqtt;
    this.mdns = discovery.mdns
      ? new MdnsResponder({
          host: discovery.name,
          title: discovery.name === "gatehouse" ? "Gatehouse" : `Gatehouse ${discovery.name}`,
          id: hubKey.derive("network id").toString("hex").slice(0, 12),
          services: () => this.#announced(),
          addresses: interfaceAddresses,
          ...keptNumber(join(dataFolder, "network-name.json"), discovery.name, (error) =>
            logger.warn({ err: error }, "the network name could not be stored"),
          ),
          changed: (hostName) => void this.#renew([hostName]),
          clock,
          logger: logger.child({ part: "mdns" }),
        })
      : null;
    if (this.mdns !== null) base.address.namedBy(this.mdns);
    this.services = [
      ...(this.mdns === null ? [] : [{ service: this.mdns, start: "serve" as const, stop: "intake" as const }]),
      { service: this.#renewal(), start: "serve", stop: "intake" },
    ];
  }

  /** Calls `serve` for each further certificate that is to be served. */
  onCertificate(serve: (certificate: ServerCertificate) => void): void {
    this.#serve = serve;
  }

  get console() {
    return networkRoutes({
      view: () => this.#view(),
      renewAuthority: () => this.#renewAuthority(),
      note: this.#access.note,
    });
  }

  get jobs() {
    return [job("renew-certificates", HALF_DAY, () => this.#renew(this.#names), false)];
  }

  get checks() {
    const { tls, store, clock } = this.#base;
    return [
      encryptionCheck(() => ({
        tls:
          tls === null
            ? null
            : {
                authority: tls.authority,
                isLost: tls.isAuthorityLost,
                uncovered: hasUncoveredName(store.current, tls.authority),
              },
        plainHttp: isPlainHttpClosed(store.current, tls) ? "closed" : "open",
        now: clock.now(),
      })),
    ];
  }

  get #names(): string[] {
    return this.mdns === null ? [] : [this.mdns.hostName];
  }

  get #time(): CertificateTime {
    const { clock, trust } = this.#base;
    return { nowMs: clock.now(), isTimeKnown: trust.state() !== "unknown" };
  }

  /**
   * Creates a new authority and serves a certificate from it: everything that trusted the old one has to trust again.
   * @throws Problem `conflict` without an authority of its own
   */
  async #renewAuthority(): Promise<void> {
    const { tls, settings, logger } = this.#base;
    if (!tls?.authority) throw new Problem("conflict", { code: "conflict.noAuthority" });
    if (tls.authority.kind === "given") throw new Problem("conflict", { code: "conflict.givenAuthority" });
    await tls.renewAuthority(settings(), this.#time, this.#names);
    this.#serveAll(tls.server);
    logger.warn({ fingerprint: tls.authority?.fingerprint }, "the authority was renewed");
  }

  #renew(names: readonly string[]): Promise<void> {
    this.#renewing = this.#renewing.then(() => this.#renewCertificates(names)); // two at once could mix their files
    return this.#renewing;
  }

  /**
   * A leaf that nears its end, or lacks a name or address that the host has now, is made again; the owner's own files
   * are read again. Open connections keep theirs.
   */
  async #renewCertificates(names: readonly string[]): Promise<void> {
    const { tls, settings, logger } = this.#base;
    try {
      if (tls === null || !(await tls.refresh(settings(), this.#time, names))) return;
      this.#serveAll(tls.server);
      logger.info({ names }, "certificate renewed");
    } catch (error) {
      logger.error({ err: error }, "the certificate could not be renewed");
    }
  }

  #serveAll(certificate: ServerCertificate): void {
    this.#serve(certificate);
    this.#mqtt.broker.renewTls(certificate);
  }

  /**
   * The leaf was checked, or made, at a start whose clock may have been wrong: it is checked again once the time is
   * known, and whenever that changes.
   */
  #renewal(): Service {
    const { tls, trust } = this.#base;
    let stops: (() => void)[] = [];
    const renew = (): void => void this.#renew(this.#names);
    return {
      name: "certificates",
      start: async () => {
        if (tls === null) return;
        stops = [trust.onChange(renew), trust.onJump(renew)];
        if (trust.state() !== "unknown") await this.#renew(this.#names);
      },
      stop: async () => {
        for (const stop of stops.splice(0)) stop();
      },
    };
  }

  #announced(): AnnouncedService[] {
    const { version, tls, address, settings } = this.#base;
    const { broker } = this.#mqtt;
    const port = address.httpPort ?? 0;
    const facts: Record<string, string> = {
      v: version,
      api: "/v1",
      tls: String(address.httpsPort ?? 0),
      claimed: this.#access.claim.claimed ? "1" : "0",
    };
    if (tls?.authority) facts.fp = tls.authority.fingerprint.replaceAll(":", "").toLowerCase();
    const mqtt = {
      type: "_mqtt._tcp",
      port: broker.port ?? 0,
      txt: { root: settings().mqtt.topicRoot, tls: String(broker.tlsPort ?? 0) },
    };
    return [
      { type: "_gatehouse._tcp", port, txt: facts },
      { type: "_http._tcp", port, txt: { path: "/" } },
      ...(mqtt.port > 0 ? [mqtt] : []),
    ];
  }

  /** The hub's addresses, from the listeners themselves: a port in the settings may be 0. */
  #view(): Json<Network> {
    const { tls, address, store } = this.#base;
    const { broker } = this.#mqtt;
    const authority = tls?.authority ?? null;
    const addresses = localAddresses();
    return {
      name: address.name,
      hostname: hostname(),
      addresses,
      certifiedAddresses: authority?.kind === "own" ? addresses.filter(isPermitted) : addresses,
      httpPort: address.httpPort,
      httpsPort: address.httpsPort,
      mqttPort: broker.port || null,
      mqttsPort: broker.tlsPort || null,
      plainHttp: isPlainHttpClosed(store.current, tls) ? "closed" : "open",
      authority:
        authority === null
          ? null
          : {
              kind: authority.kind,
              fingerprint: authority.fingerprint,
              notAfter: new Date(authority.notAfter).toISOString(),
            },
    };
  }
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
    // None yet, or half of one: the name is determined again.
  }
  const settled = (number: number): void => {
    if (number === kept) return;
    kept = number;
    writeFileAtomic(file, `${JSON.stringify({ name, number })}\n`).catch(failed);
  };
  return { number: kept, settled };
}
