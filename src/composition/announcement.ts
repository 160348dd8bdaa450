import { localAddresses } from "../platform/network.js";
import type { Settings } from "../settings/schema.js";
import type { HubParts } from "./parts.js";
import type { WebParts } from "./web-parts.js";

const MARKS = { ok: "ok  ", degraded: "!   ", failed: "FAIL" } as const;

/** What the start says to the person at the terminal: where the hub is, how its parts are, and how to own it. */
export function announcement(hub: HubParts & { readonly web: WebParts }, settings: Settings): string {
  const host = ["0.0.0.0", "::"].includes(settings.http.host) ? (localAddresses()[0] ?? "localhost") : settings.http.host;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${hub.web.server.port}`;
  const health = hub.web.health();
  const width = Math.max(...health.checks.map((check) => check.title.length), "Console".length);
  const line = (level: keyof typeof MARKS, title: string, text: string): string => `  ${MARKS[level]} ${title.padEnd(width)}  ${text}`;
  const code = hub.access.claim.code();
  return [
    "",
    `Gatehouse is ready: ${url}`,
    `  API   ${url}/v1      reference  ${url}/v1/docs`,
    `  MQTT  mqtt://${host}:${hub.broker.port}`,
    ...tlsLines(hub, host),
    "",
    ...health.checks.map((check) => line(check.level, check.title, check.text)),
    hub.web.server.hasConsole ? line("ok", "Console", "The console is served.") : line("degraded", "Console", "The console is not built; npm start builds it."),
    ...(code === null ? [] : ["", `Nobody owns this hub yet. Claim code: ${code}`, `Open ${url} and type it in.`]),
    "",
    "",
  ].join("\n");
}

function tlsLines(hub: HubParts & { readonly web: WebParts }, host: string): string[] {
  if (hub.broker.tlsPort === null) return [];
  const lines = [`  TLS   https://${host}:${hub.web.server.tlsPort}      mqtts://${host}:${hub.broker.tlsPort}`];
  return hub.authority === null ? lines : [...lines, `  Trust it once: /ca, fingerprint ${hub.authority.fingerprint}`];
}
