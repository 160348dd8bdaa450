import { randomUUID } from "node:crypto";
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { all, BadXml, DATAGRAM_LIMITS, first, parseXml, textOf, type XmlElement } from "./xml.ts";

/** A camera that answered. */
export interface DiscoveredCamera {
  /** Its own permanent name (`urn:uuid:…`). */
  readonly endpoint: string;
  /** Address of its device service. */
  readonly address: string;
  readonly host: string;
  readonly name: string | null;
  readonly hardware: string | null;
}

/** Multicast address and port: http://specs.xmlsoap.org/ws/2005/04/discovery/ws-discovery.pdf §2.4. */
const EVERYBODY = { address: "239.255.255.250", port: 3702 } as const;
const REPEAT_MS = 300;
const MAX_FOUND = 256;
/** Most datagrams read in one search: each camera answers twice. */
const MAX_ANSWERS = 1_000;
/** Of one box, which may be a recorder with many cameras: it cannot leave no room for the others. */
const MAX_ANSWERS_OF_HOST = 64;
const MAX_MATCHES = 2;
const MAX_TEXT = 100;

/**
 * Asks the network for ONVIF cameras and gathers the answers for `waitMs`, by host. Anything else that is sent is
 * skipped: any machine on the network can answer. A camera's address always has the host that the answer came from, so
 * that no answer leads elsewhere.
 */
export async function discoverOnvif({
  interfaces,
  waitMs,
  target = EVERYBODY,
}: {
  /** The hub's own IPv4 addresses; the question goes out on each of these networks. */
  readonly interfaces: readonly string[];
  readonly waitMs: number;
  /** Whom to ask instead of everybody; for tests. */
  readonly target?: { readonly address: string; readonly port: number };
}): Promise<DiscoveredCamera[]> {
  const found = new Map<string, DiscoveredCamera>();
  const messageId = `urn:uuid:${randomUUID()}`;
  let answers = 0;
  const answersOf = new Map<string, number>();
  const take = (message: Buffer, from: RemoteInfo): void => {
    const ofHost = (answersOf.get(from.address) ?? 0) + 1;
    if (message.length > DATAGRAM_LIMITS.characters || ofHost > MAX_ANSWERS_OF_HOST || ++answers > MAX_ANSWERS) return;
    answersOf.set(from.address, ofHost);
    for (const camera of camerasOf(message.toString("utf8"), messageId, from.address))
      if (found.size < MAX_FOUND) found.set(camera.endpoint, camera);
  };
  const sockets = await Promise.all(interfaces.map((address) => askFrom(address, take)));
  const open = sockets.filter((socket) => socket !== null);
  const question = Buffer.from(probe(messageId));
  const send = (): void => {
    // a network that is down answers nothing
    for (const socket of open) socket.send(question, target.port, target.address, () => undefined);
  };
  try {
    send();
    await pause(Math.min(REPEAT_MS, waitMs));
    send(); // UDP may lose one
    await pause(Math.max(0, waitMs - REPEAT_MS));
  } finally {
    for (const socket of open) socket.close();
  }
  return [...found.values()].sort((a, b) => a.host.localeCompare(b.host, "en", { numeric: true }));
}

/** A socket on one network; null when that address has gone. */
function askFrom(address: string, take: (message: Buffer, from: RemoteInfo) => void): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = createSocket({ type: "udp4" });
    socket.on("message", take);
    socket.on("error", () => resolve(null));
    socket.bind(0, address, () => {
      try {
        socket.setMulticastInterface(address);
        socket.setMulticastTTL(4);
      } catch {
        // an address without multicast can still be asked directly
      }
      resolve(socket);
    });
  });
}

function probe(messageId: string): string {
  return (
    '<?xml version="1.0" encoding="UTF-8"?><e:Envelope xmlns:e="http://www.w3.org/2003/05/soap-envelope" ' +
    'xmlns:w="http://schemas.xmlsoap.org/ws/2004/08/addressing" xmlns:d="http://schemas.xmlsoap.org/ws/2005/04/discovery" ' +
    'xmlns:dn="http://www.onvif.org/ver10/network/wsdl"><e:Header>' +
    `<w:MessageID>${messageId}</w:MessageID><w:To e:mustUnderstand="true">urn:schemas-xmlsoap-org:ws:2005:04:discovery</w:To>` +
    '<w:Action e:mustUnderstand="true">http://schemas.xmlsoap.org/ws/2005/04/discovery/Probe</w:Action></e:Header>' +
    "<e:Body><d:Probe><d:Types>dn:NetworkVideoTransmitter</d:Types></d:Probe></e:Body></e:Envelope>"
  );
}

function camerasOf(text: string, messageId: string, host: string): DiscoveredCamera[] {
  let document: XmlElement;
  try {
    document = parseXml(text, DATAGRAM_LIMITS);
  } catch (error) {
    if (error instanceof BadXml) return [];
    throw error;
  }
  if (textOf(document, "RelatesTo") !== messageId) return [];
  const matches = all(document, "ProbeMatch").slice(0, MAX_MATCHES);
  return matches.flatMap((match) => {
    const address = addressOf(textOf(match, "XAddrs") ?? "", host);
    const endpoint = textOf(first(match, "EndpointReference"), "Address");
    if (address === null || endpoint === null) return [];
    const scopes = (textOf(match, "Scopes") ?? "").split(/\s+/);
    return [
      {
        endpoint: endpoint.slice(0, MAX_TEXT),
        address,
        host,
        name: scopeOf(scopes, "name"),
        hardware: scopeOf(scopes, "hardware"),
      },
    ];
  });
}

/** The address on the host that answered; cameras on several networks name all of them. */
function addressOf(addresses: string, host: string): string | null {
  const urls = addresses
    .split(/\s+/)
    .flatMap((text) => (URL.canParse(text) && /^https?:/.test(text) ? [new URL(text)] : []));
  const url = urls.find((candidate) => candidate.hostname === host) ?? urls[0];
  if (url === undefined) return null;
  url.hostname = host;
  url.username = "";
  url.password = "";
  return url.href;
}

/** `onvif://www.onvif.org/name/Gate%20camera` → `Gate camera`. */
function scopeOf(scopes: readonly string[], kind: string): string | null {
  const scope = scopes.find((text) => text.toLowerCase().startsWith(`onvif://www.onvif.org/${kind}/`));
  if (scope === undefined) return null;
  const value = scope.slice(`onvif://www.onvif.org/${kind}/`.length);
  try {
    return decodeURIComponent(value).slice(0, MAX_TEXT) || null;
  } catch {
    return value.slice(0, MAX_TEXT); // not encoded at all
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
