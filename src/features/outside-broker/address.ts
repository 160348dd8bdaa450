import type { Settings } from "../../core/settings/schema.ts";
import type { OutsideBrokerOptions } from "./outside-broker.ts";

/** Derives secrets that only this hub has. */
export interface HubSecret {
  derive(purpose: string): Buffer;
}

/** Prefix of every topic of the hub there, with its slash; empty: none. */
export function prefixOf(settings: Pick<Settings["outsideBroker"], "topicPrefix">): string {
  return settings.topicPrefix === "" ? "" : `${settings.topicPrefix}/`;
}

/** The configured broker's address, and the hub's identity there. */
export function outsideAddress(
  settings: Settings["outsideBroker"],
  hubKey: HubSecret,
): OutsideBrokerOptions["address"] {
  return {
    url: settings.url,
    clientId: settings.clientId === "" ? ownClientId(hubKey) : settings.clientId,
    username: settings.username === "" ? null : settings.username,
    passwordFile: settings.passwordFile === "" ? null : settings.passwordFile,
    caFile: settings.caFile === "" ? null : settings.caFile,
    protocol: settings.protocol,
  };
}

/** Constant over restarts, different between hubs. */
function ownClientId(hubKey: HubSecret): string {
  return `gatehouse-${hubKey.derive("client id at the outside broker").toString("hex").slice(0, 16)}`;
}
