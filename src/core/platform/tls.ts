import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import type { FileTroubles } from "../kernel/file-troubles.ts";
import { expectSmallFile, readSmallFile } from "../kernel/small-file.ts";
import { writeFileAtomicSync } from "../kernel/write-file-atomic.ts";
import type { Settings } from "../settings/schema.ts";
import type { Authority, CertificateWishes, ServerCertificate } from "./certificates.ts";
import { latestPlausible } from "./clock-trust.ts";
import { isPermitted } from "./name-constraints.ts";
import { localAddresses } from "./network.ts";

/** What encrypted listeners serve. */
export interface ServedTls {
  readonly server: ServerCertificate;
  /** The hub's own authority; null with the owner's own certificate files, and if it is lost. */
  readonly authority: Authority | null;
  /** Whether the hub had an authority of its own that can no longer be used; a person decides on another one. */
  readonly isLost: boolean;
}

/** The present time, for certificates: see `CertificateWishes`. */
export type CertificateTime = Pick<CertificateWishes, "nowMs" | "isTimeKnown" | "builtAt">;

/** Names under which a router's own name service lists the boxes of a house. */
const ROUTER_SUFFIXES = ["local", "lan", "home.arpa", "internal"];
/** Records how this hub began; a data folder without it is from before plain http could be closed. */
const BEGINNING = join("tls", "beginning.json");

/** The certificates of a running hub: they follow its names and are renewed near their end. */
export class HubTls {
  readonly httpsPort: number;
  readonly mqttsPort: number;
  /** Whether plain http is open if the settings leave it to the hub. */
  readonly plainHttpByDefault: "open" | "closed";
  readonly #dataFolder: string;
  readonly #builtAt: number;
  #served: ServedTls;

  constructor(
    served: ServedTls,
    about: {
      readonly dataFolder: string;
      /** When this program was built, Unix milliseconds; 0: not known. */
      readonly builtAt: number;
      readonly httpsPort: number;
      readonly mqttsPort: number;
      readonly plainHttpByDefault: "open" | "closed";
    },
  ) {
    this.#served = served;
    this.#dataFolder = about.dataFolder;
    this.#builtAt = about.builtAt;
    this.httpsPort = about.httpsPort;
    this.mqttsPort = about.mqttsPort;
    this.plainHttpByDefault = about.plainHttpByDefault;
  }

  get server(): ServerCertificate {
    return this.#served.server;
  }

  get authority(): Authority | null {
    return this.#served.authority;
  }

  /** See {@link ServedTls.isLost}. */
  get isAuthorityLost(): boolean {
    return this.#served.isLost;
  }

  /**
   * Makes a new leaf if one is needed, reads the owner's own files again. Returns whether another one is served now.
   * @throws Error of the system
   */
  async refresh(settings: Settings, time: CertificateTime, furtherNames: readonly string[]): Promise<boolean> {
    const before = this.#served.server.cert;
    const at = plausible(time, this.#builtAt);
    const found = await certificates(settings, this.#dataFolder, at, furtherNames);
    // throws if certificate and key do not match, for example while they are being copied
    createSecureContext({ ...found.server });
    this.#served = found;
    return found.server.cert !== before;
  }

  /** Creates a new authority, which everybody has to trust again; a leaf from it is served from now on. */
  async renewAuthority(settings: Settings, time: CertificateTime, furtherNames: readonly string[]): Promise<void> {
    const { retireAuthority } = await import("./certificates.ts");
    retireAuthority(join(this.#dataFolder, "tls"), copyFileOf(this.#dataFolder));
    await this.refresh(settings, time, furtherNames);
  }
}

/** Whether plain http only leads to https. */
export function isPlainHttpClosed(settings: Settings, tls: HubTls | null): boolean {
  if (tls === null) return false;
  const { plainHttp } = settings.tls;
  return (plainHttp === "auto" ? tls.plainHttpByDefault : plainHttp) === "closed";
}

/**
 * The certificates required by the settings; null while TLS is off. With `auto` a new hub has its own, and so has one
 * that had them before or takes devices over TLS only.
 * @throws Error of the system when the owner's own files cannot be read
 */
export async function openTls(
  settings: Settings,
  dataFolder: string,
  time: CertificateTime,
  troubles?: FileTroubles,
): Promise<HubTls | null> {
  const { tls, http } = settings;
  const { builtAt = 0 } = time;
  const plainHttpByDefault = noteBeginning(settings, dataFolder);
  const isUsed = plainHttpByDefault !== null || !settings.mqtt.plain || hadAuthority(dataFolder);
  if (tls.mode === "off" || (tls.mode === "auto" && !isUsed)) return null;
  // An occupied port prevents a start only if TLS was configured explicitly.
  const port = (wanted: number): Promise<number> | number =>
    tls.mode === "auto" ? freePort(http.host, wanted) : wanted;
  return new HubTls(await certificates(settings, dataFolder, plausible(time, builtAt), [], troubles), {
    dataFolder,
    builtAt,
    httpsPort: await port(tls.httpsPort),
    mqttsPort: await port(tls.mqttsPort),
    plainHttpByDefault: plainHttpByDefault ?? "open",
  });
}

/**
 * Records for an empty data folder whether plain http is open by default; returns what was recorded, null for a folder
 * of an earlier version. An existing household keeps plain http until its owner closes it. A new hub with `auto` has it
 * open until it is claimed over https; one configured to encrypt never has.
 */
export function noteBeginning({ tls }: Settings, dataFolder: string): "open" | "closed" | null {
  const file = join(dataFolder, BEGINNING);
  const found = readSmallFile(file);
  // of one that cannot be read only the stricter answer is safe; the settings can open plain http
  if (found.kind !== "missing") return found.kind === "good" && found.text.includes("open") ? "open" : "closed";
  if (tls.mode === "off" || existsSync(join(dataFolder, "gatehouse.db"))) return null;
  const plainHttp = tls.mode === "auto" ? "open" : "closed";
  writeIfPossible(file, `${JSON.stringify({ plainHttp })}\n`);
  return plainHttp;
}

/** Whether the settings have a name that the own authority may not vouch for: it needs a certificate of the owner's. */
export function hasUncoveredName({ http }: Settings, authority: Authority | null): boolean {
  return authority?.kind === "own" && http.allowedHosts.some((name) => !isPermitted(name));
}

/** A time decades after the build is wrong, whatever says it: a certificate from then would be of no use to anybody. */
function plausible(time: CertificateTime, builtAt: number): CertificateTime {
  return time.nowMs > latestPlausible(builtAt) ? { nowMs: builtAt, builtAt } : time;
}

async function certificates(
  settings: Settings,
  dataFolder: string,
  time: CertificateTime,
  furtherNames: readonly string[],
  troubles?: FileTroubles,
): Promise<ServedTls> {
  const { tls, discovery, http } = settings;
  if (tls.mode === "files")
    return {
      server: { cert: expectSmallFile(tls.certificateFile).toString(), key: expectSmallFile(tls.keyFile).toString() },
      authority: null,
      isLost: false,
    };
  // and its ASN.1 library, only if there is something to sign
  const { ownCertificates } = await import("./certificates.ts");
  const bare = [...new Set([discovery.name, hostname()])].filter((name) => !name.includes("."));
  const routers = bare.flatMap((name) => ROUTER_SUFFIXES.map((suffix) => `${name}.${suffix}`));
  const names = [
    ...new Set([`${discovery.name}.local`, hostname(), "localhost", ...routers, ...http.allowedHosts, ...furtherNames]),
  ];
  const { server, authority } = await ownCertificates({
    folder: join(dataFolder, "tls"),
    names,
    addresses: ["127.0.0.1", "::1", ...localAddresses()],
    copyFile: copyFileOf(dataFolder),
    ...(troubles === undefined ? {} : { troubles }),
    ...time,
  });
  return { server, authority, isLost: authority === null };
}

/** The location of the authority's copy: not in `tls`, which can be lost as a whole. */
export function copyFileOf(dataFolder: string): string {
  return join(dataFolder, "authority.copy");
}

function hadAuthority(dataFolder: string): boolean {
  return [join(dataFolder, "tls", "authority.crt"), copyFileOf(dataFolder)].some(
    (file) => readSmallFile(file).kind !== "missing",
  );
}

/** The next start tries again: neither a read-only disk nor a file in the folder's place may prevent a start. */
function writeIfPossible(file: string, text: string): void {
  try {
    writeFileAtomicSync(file, text);
  } catch {
    // Health reports what is wrong with the disk.
  }
}

/** The port, or 0 (any) if it is taken. */
function freePort(host: string, port: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(0));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(port)));
  });
}
