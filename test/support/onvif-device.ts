import { createHash } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { first, parseXml, textOf, type XmlElement } from "../../src/features/cameras/onvif/xml.ts";

/** How the fake camera behaves. */
export interface OnvifDeviceOptions {
  readonly user: string;
  readonly password: string;
  /** Its clock minus the real one. */
  readonly clockShiftMs?: number;
  /** Asks for HTTP digest and ignores the signature in the SOAP header, as some firmware does. */
  readonly httpDigest?: boolean;
  /** The response to `GET /snap.jpg`. */
  readonly picture?: Buffer;
}

/** An ONVIF camera: SOAP over HTTP and discovery over UDP on the loopback interface, signatures checked. */
export class OnvifDevice {
  readonly #options: OnvifDeviceOptions;
  readonly #server: Server;
  readonly #socket: Socket = createSocket("udp4");
  #held: { readonly response: ServerResponse; readonly timer: NodeJS.Timeout }[] = [];
  #waiting: string[] = [];
  /** Names of the requests that it answered. */
  readonly asked: string[] = [];
  /** False: subscriptions are forgotten, as after a restart of the camera. */
  knowsSubscription = false;
  /** Its answer to a search instead. */
  discoveryAnswer: ((relatesTo: string) => string) | null = null;

  constructor(options: OnvifDeviceOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    await new Promise<void>((resolve) => this.#socket.bind(0, "127.0.0.1", resolve));
    this.#socket.on("message", (message, from) => {
      const relatesTo = textOf(parseXml(message.toString()), "MessageID") ?? "";
      const answer = this.discoveryAnswer?.(relatesTo) ?? this.#probeMatch(relatesTo);
      this.#socket.send(answer, from.port, from.address);
    });
  }

  async close(): Promise<void> {
    for (const { timer } of this.#held) clearTimeout(timer);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await new Promise<void>((resolve) => this.#socket.close(() => resolve()));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // it listens on TCP
  }

  get discoveryPort(): number {
    return this.#socket.address().port;
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}/onvif/device_service`;
  }

  /** Notifies subscribers that its motion state changed. */
  tell(isMoving: boolean, operation = "Changed"): void {
    this.#waiting.push(
      `<wsnt:NotificationMessage><wsnt:Topic Dialect="x">tns1:RuleEngine/CellMotionDetector/Motion</wsnt:Topic><wsnt:Message>` +
        `<tt:Message UtcTime="2026-03-01T12:00:00Z" PropertyOperation="${operation}"><tt:Source><tt:SimpleItem Name="VideoSourceConfigurationToken" Value="1"/></tt:Source>` +
        `<tt:Data><tt:SimpleItem Name="IsMotion" Value="${isMoving}"/></tt:Data></tt:Message></wsnt:Message></wsnt:NotificationMessage>`,
    );
    for (const { response, timer } of this.#held.splice(0)) {
      clearTimeout(timer);
      this.#pulled(response);
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET") {
      response.setHeader("content-type", "image/jpeg").end(this.#options.picture ?? Buffer.alloc(0));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // a request without an encoding yields buffers
    const envelope = parseXml(Buffer.concat(chunks).toString());
    const call = first(envelope, "Body")?.children[0];
    const name = call?.name ?? "";
    if (name !== "GetSystemDateAndTime" && !this.#isSigned(envelope, request)) {
      if (this.#options.httpDigest)
        response.setHeader("www-authenticate", 'Digest realm="cam", nonce="n1", qop="auth", algorithm=MD5');
      const fault =
        "<s:Fault><s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value>ter:NotAuthorized</s:Value></s:Subcode></s:Code></s:Fault>";
      response.writeHead(this.#options.httpDigest ? 401 : 400).end(soap(fault));
      return;
    }
    this.asked.push(name);
    if (name === "PullMessages") this.#pull(request, response);
    else response.setHeader("content-type", "application/soap+xml").end(soap(this.#body(name, call ?? null)));
  }

  #isSigned(envelope: XmlElement, request: IncomingMessage): boolean {
    const { user, password, clockShiftMs = 0, httpDigest } = this.#options;
    if (httpDigest) {
      const given = request.headers.authorization ?? "";
      const md5 = (text: string): string => createHash("md5").update(text).digest("hex");
      const cnonce = /cnonce="([^"]+)"/.exec(given)?.[1];
      return given.includes(
        `response="${md5(`${md5(`${user}:cam:${password}`)}:n1:00000001:${cnonce}:auth:${md5(`POST:${request.url}`)}`)}"`,
      );
    }
    const token = first(envelope, "UsernameToken");
    const created = textOf(token, "Created") ?? "";
    const nonce = Buffer.from(textOf(token, "Nonce") ?? "", "base64");
    const expected = createHash("sha1").update(nonce).update(created).update(password).digest("base64");
    const isNow = Math.abs(Date.parse(created) - Date.now() - clockShiftMs) < 10_000;
    return textOf(token, "Username") === user && textOf(token, "Password") === expected && isNow;
  }

  #body(name: string, call: XmlElement | null): string {
    // behind an address translation a camera names an address that leads nowhere
    const elsewhere = `http://10.99.99.99:${this.port}`;
    const at = new Date(Date.now() + (this.#options.clockShiftMs ?? 0));
    const token = textOf(call, "ProfileToken");
    const bodies: Readonly<Record<string, string>> = {
      GetSystemDateAndTime:
        `<tds:SystemDateAndTime><tt:UTCDateTime><tt:Time><tt:Hour>${at.getUTCHours()}</tt:Hour><tt:Minute>${at.getUTCMinutes()}</tt:Minute><tt:Second>${at.getUTCSeconds()}</tt:Second></tt:Time>` +
        `<tt:Date><tt:Year>${at.getUTCFullYear()}</tt:Year><tt:Month>${at.getUTCMonth() + 1}</tt:Month><tt:Day>${at.getUTCDate()}</tt:Day></tt:Date></tt:UTCDateTime></tds:SystemDateAndTime>`,
      GetDeviceInformation:
        "<tds:Manufacturer>Example &amp; Co</tds:Manufacturer><tds:Model>Gate 4</tds:Model><tds:FirmwareVersion>1.2</tds:FirmwareVersion>",
      GetCapabilities: `<tds:Capabilities><tt:Events><tt:XAddr>${elsewhere}/onvif/events</tt:XAddr></tt:Events><tt:Media><tt:XAddr>${elsewhere}/onvif/media</tt:XAddr></tt:Media></tds:Capabilities>`,
      GetProfiles: [
        ["sub", "Small", "640", "360"],
        ["main", "Main", "1920", "1080"],
      ]
        .map(
          ([id, title, width, height]) =>
            `<trt:Profiles token="${id}"><tt:Name>${title}</tt:Name><tt:VideoEncoderConfiguration><tt:Encoding>H264</tt:Encoding><tt:Resolution><tt:Width>${width}</tt:Width><tt:Height>${height}</tt:Height></tt:Resolution></tt:VideoEncoderConfiguration></trt:Profiles>`,
        )
        .join(""),
      GetStreamUri: `<trt:MediaUri><tt:Uri>rtsp://10.99.99.99:554/live/${token}</tt:Uri></trt:MediaUri>`,
      GetSnapshotUri: `<trt:MediaUri><tt:Uri>${elsewhere}/snap.jpg?p=${token}&amp;q=1</tt:Uri></trt:MediaUri>`,
      GetEventProperties:
        "<wstop:TopicSet><tns1:RuleEngine><CellMotionDetector><Motion wstop:topic='true'/></CellMotionDetector></tns1:RuleEngine></wstop:TopicSet>",
      CreatePullPointSubscription:
        `<tev:SubscriptionReference><wsa:Address>${elsewhere}/onvif/pull</wsa:Address><wsa:ReferenceParameters>` +
        `<dom0:SubscriptionId xmlns:dom0="http://www.axis.com/2009/event">7</dom0:SubscriptionId></wsa:ReferenceParameters></tev:SubscriptionReference>`,
    };
    if (name === "CreatePullPointSubscription") this.knowsSubscription = true;
    return `<x:${name}Response>${bodies[name] ?? ""}</x:${name}Response>`;
  }

  #pull(request: IncomingMessage, response: ServerResponse): void {
    response.setHeader("content-type", "application/soap+xml");
    if (!this.knowsSubscription) {
      response
        .writeHead(400)
        .end(soap("<s:Fault><s:Reason><s:Text>unknown subscription</s:Text></s:Reason></s:Fault>"));
      return;
    }
    if (this.#waiting.length > 0) {
      this.#pulled(response);
      return;
    }
    const held = { response, timer: setTimeout(() => this.#pulled(response), 15_000) };
    this.#held.push(held);
    request.on("close", () => clearTimeout(held.timer));
  }

  #pulled(response: ServerResponse): void {
    response.end(soap(`<tev:PullMessagesResponse>${this.#waiting.splice(0).join("")}</tev:PullMessagesResponse>`));
  }

  #probeMatch(relatesTo: string): string {
    return (
      `<SOAP-ENV:Envelope><SOAP-ENV:Header><wsa:RelatesTo>${relatesTo}</wsa:RelatesTo></SOAP-ENV:Header><SOAP-ENV:Body><d:ProbeMatches><d:ProbeMatch>` +
      "<wsa:EndpointReference><wsa:Address>urn:uuid:0001</wsa:Address></wsa:EndpointReference>" +
      "<d:Scopes>onvif://www.onvif.org/Profile/Streaming onvif://www.onvif.org/name/Gate%20camera onvif://www.onvif.org/hardware/G-4</d:Scopes>" +
      `<d:XAddrs>http://10.99.99.99/onvif/device_service ${this.address}</d:XAddrs></d:ProbeMatch></d:ProbeMatches></SOAP-ENV:Body></SOAP-ENV:Envelope>`
    );
  }
}

function soap(body: string): string {
  return `<?xml version="1.0" encoding="utf-8"?><s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body>${body}</s:Body></s:Envelope>`;
}
