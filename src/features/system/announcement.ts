import { localAddresses } from "../../core/platform/network.ts";
import type { Settings } from "../../core/settings/schema.ts";
import type { HubParts } from "./parts.ts";
import type { WebParts } from "./web.ts";

const MARKS = { ok: "ok  ", degraded: "!   ", failed: "FAIL" } as const;

/**
 * What the start prints for the person at the terminal: the hub's address, the state of its parts, and how to claim it.
 * `isPlainClosed`: whether to use https.
 */
export function announcement(
  hub: HubParts & { readonly web: WebParts },
  settings: Settings,
  isPlainClosed: boolean,
): string {
  const host = hostOf(settings);
  const url = addressOf(hub, settings, isPlainClosed);
  const health = hub.web.health();
  const width = Math.max(...health.checks.map((check) => check.title.length), "Console".length);
  const line = (level: keyof typeof MARKS, title: string, text: string): string =>
    `  ${MARKS[level]} ${title.padEnd(width)}  ${text}`;
  const code = hub.access.claim.code();
  return [
    "",
    `Gatehouse is ready: ${url}`,
    `  API   ${url}/v1      reference  ${url}/v1/docs`,
    ...(hub.broker.port === null ? [] : [`  MQTT  mqtt://${host}:${hub.broker.port}`]),
    ...tlsLines(hub, host),
    "",
    ...health.checks.map((check) => line(check.level, check.title, check.text)),
    hub.web.server.hasConsole
      ? line("ok", "Console", "The console is served.")
      : line("degraded", "Console", "The console is not built; npm start builds it."),
    ...(hub.access.claim.isLost
      ? [
          "",
          "This hub had an owner, and its accounts are lost: it cannot be claimed anew. Bring a backup back with: gatehouse restore FILE",
        ]
      : []),
    ...(code === null ? [] : ["", `Nobody owns this hub yet. Claim code: ${code}`, `Open ${url} and type it in.`]),
    "",
    "",
  ].join("\n");
}

/** Where a person reaches the hub's console. */
export function addressOf(hub: { readonly web: WebParts }, settings: Settings, isPlainClosed: boolean): string {
  const host = hostOf(settings);
  const { port, tlsPort } = hub.web.server;
  return isPlainClosed ? `https://${host}${tlsPort === 443 ? "" : `:${tlsPort}`}` : `http://${host}:${port}`;
}

function hostOf({ http }: Settings): string {
  return bracketed(["0.0.0.0", "::"].includes(http.host) ? (localAddresses()[0] ?? "localhost") : http.host);
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

function tlsLines(hub: HubParts & { readonly web: WebParts }, host: string): string[] {
  if (hub.broker.tlsPort === null) return [];
  const { port, tlsPort } = hub.web.server;
  const lines = [`  TLS   https://${host}:${tlsPort}      mqtts://${host}:${hub.broker.tlsPort}`];
  return hub.authority === null
    ? lines
    : [...lines, `  Trust it once: http://${host}:${port}/ca, fingerprint ${hub.authority.fingerprint}`];
}
