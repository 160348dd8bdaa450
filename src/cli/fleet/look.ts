/**
 * Asks one hub for its health, within a time limit. Names that end in .local are resolved by multicast here: the
 * system's resolver would occupy one of its few threads for five seconds and more for each box that is off.
 */
import { createHash, X509Certificate } from "node:crypto";
import { lookup as systemLookup } from "node:dns";
import { request as plain } from "node:http";
import { request as encrypted, type RequestOptions } from "node:https";
import { isIPv4, type LookupFunction } from "node:net";
import makeMulticastDns from "multicast-dns";
import type { FleetHost } from "./hosts.ts";

/** A hub's state when it was asked. */
export interface HostReport {
  readonly name: string;
  readonly url: string;
  /**
   * `unreachable`: nobody answered in time; `untrusted`: somebody else than this hub answered; `foreign`: the answer
   * did not come from a hub.
   */
  readonly status: "ok" | "degraded" | "failed" | "unreachable" | "untrusted" | "foreign";
  readonly version: string | null;
  readonly tookMs: number;
  /** What is not as it should be. */
  readonly troubles: readonly { readonly code: string; readonly level: string; readonly text: string }[];
}

const MOST_BYTES = 65_536;

class Untrusted extends Error {}

/** Never rejects; takes at most `timeoutMs`. */
export async function look(host: FleetHost, timeoutMs: number): Promise<HostReport> {
  const began = performance.now();
  const end = AbortSignal.timeout(timeoutMs);
  const shown = (found: Omit<HostReport, "name" | "url" | "tookMs">): HostReport => {
    return { name: host.name, url: host.url.origin, tookMs: Math.round(performance.now() - began), ...found };
  };
  try {
    const { status, body } = await get(host, "/healthz", { ...(await trust(host, end)), signal: end });
    return shown(status === 200 ? understood(body) : foreign(`it answered ${status}`));
  } catch (error) {
    const text = end.aborted ? `no answer within ${timeoutMs / 1000} s` : messageOf(error);
    return shown({
      status: isTrustError(error) ? "untrusted" : "unreachable",
      version: null,
      troubles: [{ code: "reach", level: "failed", text }],
    });
  }
}

/**
 * How to verify the connection. With a pin the hub's own authority is fetched from it, and must be the pinned one.
 * @throws Untrusted
 */
async function trust({ name, url, pin, ca }: FleetHost, signal: AbortSignal): Promise<RequestOptions> {
  if (url.protocol !== "https:" || pin === null) return ca === null ? {} : { ca };
  const { status, body } = await get({ url }, "/ca.crt", { rejectUnauthorized: false, signal });
  const authority = status === 200 ? certificateOf(body) : null;
  if (authority === null) throw new Untrusted(`${name} has no authority of its own to compare with the pin`);
  const found = createHash("sha256").update(authority.raw).digest("hex");
  if (found !== pin) throw new Untrusted(`its authority is ${found}, not the one of the pin`);
  return { ca: body, checkServerIdentity: () => undefined }; // no other box has this authority, whatever its names are
}

function certificateOf(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

function get(
  { url }: Pick<FleetHost, "url">,
  path: string,
  options: RequestOptions,
): Promise<{ status: number; body: string }> {
  const send = url.protocol === "https:" ? encrypted : plain;
  return new Promise((resolve, reject) => {
    const call = send(
      new URL(path, url),
      { ...options, agent: false, lookup, headers: { accept: "*/*" } },
      (response) => {
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          body += chunk;
          if (body.length > MOST_BYTES) call.destroy(new Error("the answer is no hub's"));
        });
        response.on("error", reject);
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
      },
    );
    call.on("error", reject);
    call.end();
  });
}

/** Node's own, except for names that are resolved by multicast. */
const lookup: LookupFunction = (name, options, found) => {
  if (!name.toLowerCase().endsWith(".local")) {
    systemLookup(name, options, found);
    return;
  }
  byMulticast(name).then(
    (address) => (options.all ? found(null, [{ address, family: 4 }]) : found(null, address, 4)),
    (error: NodeJS.ErrnoException) => found(error, "", 4),
  );
};

const MULTICAST_MS = 2_000;
const AGAIN_MS = 400;

/** The first IPv4 address that somebody claims for the name. @throws Error if nobody does */
async function byMulticast(name: string): Promise<string> {
  const mdns = makeMulticastDns();
  const ask = (): void => mdns.query({ questions: [{ name, type: "A" }] });
  const again = setInterval(ask, AGAIN_MS);
  let over: NodeJS.Timeout | undefined;
  try {
    return await new Promise<string>((resolve, reject) => {
      over = setTimeout(() => reject(new Error(`nobody here is called ${name}`)), MULTICAST_MS);
      mdns.on("response", ({ answers }) => {
        for (const answer of answers ?? [])
          if (answer.type === "A" && answer.name.toLowerCase() === name.toLowerCase() && isIPv4(answer.data))
            resolve(answer.data);
      });
      mdns.on("error", reject);
      mdns.on("ready", ask);
    });
  } finally {
    clearInterval(again);
    clearTimeout(over);
    mdns.destroy();
  }
}

function understood(body: string): Omit<HostReport, "name" | "url" | "tookMs"> {
  try {
    const { status, version, checks } = JSON.parse(body) as {
      status?: string;
      version?: string;
      checks?: HostReport["troubles"];
    }; // checked below
    if (
      (status === "ok" || status === "degraded" || status === "failed") &&
      typeof version === "string" &&
      Array.isArray(checks)
    )
      return { status, version, troubles: checks.filter(({ level }) => level !== "ok") };
  } catch {
    // Said below.
  }
  return foreign("the answer is no hub's");
}

function foreign(text: string): Omit<HostReport, "name" | "url" | "tookMs"> {
  return { status: "foreign", version: null, troubles: [{ code: "reach", level: "failed", text }] };
}

/** OpenSSL's and Node's codes for a certificate that is not good enough. */
const TRUST_CODES = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH)/;

function isTrustError(error: unknown): boolean {
  return (
    error instanceof Untrusted || (error instanceof Error && "code" in error && TRUST_CODES.test(String(error.code)))
  );
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error instanceof AggregateError ? error.errors.map(messageOf).join("; ") : "";
  return error.message === "" ? inner : error.message;
}
