import type { Base } from "../../core/base.ts";
import { localAddresses } from "../../core/platform/network.ts";
import type { Settings } from "../../core/settings/schema.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { MqttFeature } from "../mqtt/feature.ts";
import type { SystemFeature } from "./feature.ts";
import type { WebFeature } from "./web.ts";

const MARKS = { ok: "ok  ", degraded: "!   ", failed: "FAIL" } as const;

/** The announced facts about a hub. */
interface Announced {
  readonly access: AccessFeature;
  readonly mqtt: MqttFeature;
  readonly system: SystemFeature;
  readonly web: WebFeature;
  readonly base: Pick<Base, "tls">;
}

/**
 * What the start prints for the person at the terminal: the hub's address, the state of its parts, and how to claim it.
 * `isPlainClosed`: whether to use https.
 */
export function announcement(hub: Announced, settings: Settings, isPlainClosed: boolean): string {
  const host = hostOf(settings);
  const url = addressOf(hub, settings, isPlainClosed);
  const health = hub.system.health();
  const width = Math.max(...health.checks.map((check) => check.title.length), "Console".length);
  const line = (level: keyof typeof MARKS, title: string, text: string): string =>
    `  ${MARKS[level]} ${title.padEnd(width)}  ${text}`;
  const code = hub.access.claim.code();
  return [
    "",
    `Gatehouse is ready: ${url}`,
    `  API   ${url}/v1      reference  ${url}/v1/docs`,
    ...(hub.mqtt.broker.port === null ? [] : [`  MQTT  mqtt://${host}:${hub.mqtt.broker.port}`]),
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

/** The address of the hub's console for a person. */
export function addressOf(hub: Pick<Announced, "web">, settings: Settings, isPlainClosed: boolean): string {
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

function tlsLines(hub: Announced, host: string): string[] {
  if (hub.mqtt.broker.tlsPort === null) return [];
  const { port, tlsPort } = hub.web.server;
  const lines = [`  TLS   https://${host}:${tlsPort}      mqtts://${host}:${hub.mqtt.broker.tlsPort}`];
  const authority = hub.base.tls?.authority ?? null;
  return authority === null
    ? lines
    : [...lines, `  Trust it once: http://${host}:${port}/ca, fingerprint ${authority.fingerprint}`];
}
