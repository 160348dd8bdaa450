/**
 * What the hub asks an ONVIF camera (Profile S and T): what it is, where its pictures are, and whether it reports
 * motion. In: an address and a sign-in. Out: addresses for a camera's source (../camera-source.ts). It must not know
 * what is done with the pictures.
 */
import { CameraTrouble } from "../snapshot.ts";
import { callSoap, SoapFault, type SoapPeer } from "./soap.ts";
import { all, escaped, first, textOf, type XmlElement } from "./xml.ts";

/** One picture stream of a camera. */
interface OnvifProfile {
  readonly name: string;
  readonly encoding: string | null;
  readonly width: number | null;
  readonly height: number | null;
  /** With user and password, ready for a camera's source. */
  readonly streamUrl: string | null;
  readonly snapshotUrl: string | null;
}

/** What a camera says about itself. */
export interface OnvifDescription {
  readonly maker: string | null;
  readonly model: string | null;
  readonly firmware: string | null;
  readonly hasMotionEvents: boolean;
  /** The largest picture first. */
  readonly profiles: readonly OnvifProfile[];
}

/** An address and the sign-in for it. */
export interface OnvifAccess {
  /** Address of the device service, or just a host. */
  readonly address: string;
  readonly user: string;
  readonly password: string;
}

const DEVICE = "http://www.onvif.org/ver10/device/wsdl";
const MEDIA = "http://www.onvif.org/ver10/media/wsdl";
const SCHEMA = "http://www.onvif.org/ver10/schema";
/** Namespace of the event service. */
export const EVENTS = "http://www.onvif.org/ver10/events/wsdl";
const TIMEOUT_MS = 5_000;
const MAX_PROFILES = 8;
/** Topics that say that something moves; makers have many, all of which contain one of these words. */
export const MOTION_TOPIC = /motion|linedetector|linecross|fielddetector|objectsinside|vehicle/i;

/** Asks a camera for everything that its set-up needs. @throws CameraTrouble, in words for the owner */
export async function inspectOnvif(access: OnvifAccess): Promise<OnvifDescription> {
  const device = await connectOnvif(access);
  const about = await ask(device, DEVICE, "<GetDeviceInformation/>");
  const { media, events } = await servicesOf(device);
  const profiles = media === null ? [] : await profilesOf(media);
  const description = {
    maker: textOf(about, "Manufacturer"),
    model: textOf(about, "Model"),
    firmware: textOf(about, "FirmwareVersion"),
    hasMotionEvents: events !== null && (await hasMotion(events)),
    profiles: profiles.sort((a, b) => (b.width ?? 0) * (b.height ?? 0) - (a.width ?? 0) * (a.height ?? 0)),
  };
  return description;
}

/** The event service of a camera; for onvif-events.ts. @throws CameraTrouble. */
export async function eventServiceOf(access: OnvifAccess): Promise<SoapPeer> {
  const { events } = await servicesOf(await connectOnvif(access));
  if (events === null) throw new CameraTrouble({ code: "camera.noEvents" });
  return events;
}

/** Finds the camera and learns its clock. @throws CameraTrouble. */
async function connectOnvif({ address, user, password }: OnvifAccess): Promise<SoapPeer> {
  const url = deviceAddress(address);
  const unsigned: SoapPeer = { url, user: "", password: "", clockShiftMs: 0 };
  return { url, user, password, clockShiftMs: await clockShiftOf(unsigned) };
}

/** Address of the device service; a bare host gets the usual path. @throws CameraTrouble. */
export function deviceAddress(address: string): string {
  const full = /^https?:\/\//i.test(address) ? address : `http://${address}`;
  if (!URL.canParse(full)) throw new CameraTrouble({ code: "camera.badAddress" });
  const url = new URL(full);
  if (url.pathname === "/") url.pathname = "/onvif/device_service";
  url.username = "";
  url.password = "";
  return url.href;
}

/** The only request that needs no signature. Some cameras refuse it even so; their clock is then assumed right. */
async function clockShiftOf(peer: SoapPeer): Promise<number> {
  try {
    const now = first(await ask(peer, DEVICE, "<GetSystemDateAndTime/>"), "UTCDateTime");
    const part = (name: string): number => Number(textOf(now, name));
    const at = Date.UTC(part("Year"), part("Month") - 1, part("Day"), part("Hour"), part("Minute"), part("Second"));
    return Number.isFinite(at) ? at - Date.now() : 0;
  } catch (error) {
    if (error instanceof SoapFault) return 0;
    throw error;
  }
}

async function servicesOf(
  device: SoapPeer,
): Promise<{ readonly media: SoapPeer | null; readonly events: SoapPeer | null }> {
  const capabilities = await ask(device, DEVICE, "<GetCapabilities><Category>All</Category></GetCapabilities>");
  const peer = (name: string): SoapPeer | null => {
    const address = textOf(first(capabilities, name), "XAddr");
    const url = address === null ? null : onHostOf(device, address);
    return url === null ? null : { ...device, url };
  };
  return { media: peer("Media"), events: peer("Events") };
}

async function profilesOf(media: SoapPeer): Promise<OnvifProfile[]> {
  const answer = await ask(media, MEDIA, "<GetProfiles/>");
  const found: OnvifProfile[] = [];
  for (const profile of all(answer, "Profiles").slice(0, MAX_PROFILES)) {
    const token = profile.attributes.token;
    const encoder = first(profile, "VideoEncoderConfiguration");
    if (token === undefined || encoder === null) continue;
    const wanted = `<ProfileToken>${escaped(token)}</ProfileToken>`;
    const setup = `<StreamSetup><Stream xmlns="${SCHEMA}">RTP-Unicast</Stream><Transport xmlns="${SCHEMA}"><Protocol>RTSP</Protocol></Transport></StreamSetup>`;
    found.push({
      name: (textOf(profile, "Name") ?? token).slice(0, 64),
      encoding: textOf(encoder, "Encoding"),
      width: wholeOf(encoder, "Width"),
      height: wholeOf(encoder, "Height"),
      streamUrl: await addressFrom(media, `<GetStreamUri>${setup}${wanted}</GetStreamUri>`, /^rtsps?:/),
      snapshotUrl: await addressFrom(media, `<GetSnapshotUri>${wanted}</GetSnapshotUri>`, /^https?:/),
    });
  }
  return found;
}

/** An address that a camera gives, on the camera's own host and with the sign-in; null if there is none. */
async function addressFrom(media: SoapPeer, body: string, scheme: RegExp): Promise<string | null> {
  try {
    const address = textOf(await ask(media, MEDIA, body), "Uri");
    const own = address === null ? null : onHostOf(media, address);
    if (own === null || !scheme.test(own)) return null;
    const url = new URL(own);
    url.username = media.user;
    url.password = media.password;
    return url.href;
  } catch (error) {
    if (error instanceof SoapFault) return null; // not every camera has snapshots
    throw error;
  }
}

async function hasMotion(events: SoapPeer): Promise<boolean> {
  try {
    const topics = first(await ask(events, EVENTS, "<GetEventProperties/>"), "TopicSet");
    const names = (element: XmlElement): string => `${element.name} ${element.children.map(names).join(" ")}`;
    return topics !== null && MOTION_TOPIC.test(names(topics));
  } catch (error) {
    if (error instanceof SoapFault) return false;
    throw error;
  }
}

/** A camera behind NAT names addresses that lead nowhere, a malicious one any at all: only path and port are taken. */
export function onHostOf(peer: SoapPeer, address: string): string | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  url.hostname = new URL(peer.url).hostname;
  url.username = "";
  url.password = "";
  return url.href;
}

/** One request to the service with this namespace; `body` is its element without a namespace. */
function ask(peer: SoapPeer, namespace: string, body: string): Promise<XmlElement> {
  const name = /^<(\w+)/.exec(body)?.[1] ?? "";
  const action = namespace === EVENTS ? `${EVENTS}/EventPortType/${name}Request` : `${namespace}/${name}`;
  return callSoap(peer, { action, body: body.replace(/^<\w+/, `$& xmlns="${namespace}"`), timeoutMs: TIMEOUT_MS });
}

function wholeOf(element: XmlElement, name: string): number | null {
  const text = textOf(element, name);
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : null;
}
