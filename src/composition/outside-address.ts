import type { OutsideBrokerOptions } from "../outside-broker/outside-broker.js";
import type { Settings } from "../settings/schema.js";

/** Makes what is this hub's alone. */
export interface HubSecret {
  derive(purpose: string): Buffer;
}

/** In front of every topic of the hub there, with its slash; empty: none. */
export function prefixOf(settings: Pick<Settings["outsideBroker"], "topicPrefix">): string {
  return settings.topicPrefix === "" ? "" : `${settings.topicPrefix}/`;
}

/** Where the broker of the settings is, and who the hub is there. */
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

/** Stays the same over restarts, differs between hubs. */
function ownClientId(hubKey: HubSecret): string {
  return `gatehouse-${hubKey.derive("client id at the outside broker").toString("hex").slice(0, 16)}`;
}
