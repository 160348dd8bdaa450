/**
 * Receivers of notifications, as real servers on loopback: ntfy's protocol (https://docs.ntfy.sh/publish/), SMTP, and a
 * push service that checks and decrypts what it gets.
 */
import { createDecipheriv, createECDH, createHmac, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { SMTPServer } from "smtp-server";
import type { Test } from "tap";
import { soundCertificates } from "./certificates.ts";

/** A certificate for this machine by an authority of its own. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
  /** PEM of the authority, for clients that should trust it. */
  readonly authority: string;
}

/** Makes a certificate for `localhost` and 127.0.0.1 in `folder`. */
export async function testCertificate(folder: string): Promise<TestCertificate> {
  const { server, authority } = await soundCertificates({
    folder,
    names: ["localhost"],
    addresses: ["127.0.0.1"],
    nowMs: Date.now(),
  });
  return { cert: server.cert, key: server.key, authority: authority.cert };
}

/** Waits until `condition` holds; the test's time limit ends it otherwise. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** What a topic's subscriber gets. */
interface NtfyMessage {
  readonly topic: string;
  readonly title: string;
  readonly message: string;
  readonly priority: number;
  readonly click: string | null;
  readonly attachment: { readonly name: string; readonly bytes: Buffer } | null;
}

/** A server that accepts messages as ntfy does (docs.ntfy.sh/publish). */
export interface NtfyServer {
  readonly url: string;
  readonly port: number;
  readonly messages: NtfyMessage[];
  /** Requests, accepted or not. */
  requests: number;
  /** If set, only requests with it may publish. */
  token: string | null;
  takesAttachments: boolean;
  /** While set, every request is answered with it. */
  failWith: number | null;
}

/** Starts one; it ends with the test. */
export async function startNtfy(t: Test): Promise<NtfyServer> {
  const state: Omit<NtfyServer, "url" | "port"> = {
    messages: [],
    requests: 0,
    token: null,
    takesAttachments: true,
    failWith: null,
  };
  const server = createServer((request, response) => void take(request, response));
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    state.requests += 1;
    const body = await bytesOf(request);
    const refuse = (http: number, code: number, error: string): void =>
      void response
        .writeHead(http, { "Content-Type": "application/json" })
        .end(`${JSON.stringify({ code, http, error })}\n`);
    if (state.failWith !== null) return refuse(state.failWith, state.failWith * 100, "failing");
    const [, topic] = /^\/([-_A-Za-z0-9]{1,64})$/.exec(request.url ?? "") ?? [];
    if (topic === undefined || (request.method !== "POST" && request.method !== "PUT"))
      return refuse(404, 40401, "page not found");
    if (state.token !== null && request.headers.authorization !== `Bearer ${state.token}`)
      return refuse(401, 40101, "unauthorized");
    const header = (name: string): string | null => decoded(request.headers[name]);
    const filename = header("filename");
    if (filename !== null && !state.takesAttachments)
      return refuse(400, 40014, "invalid request: attachments not allowed");
    state.messages.push({
      topic,
      title: header("title") ?? "",
      message: (filename === null ? body.toString() : (header("message") ?? "")).replaceAll("\\n", "\n"),
      priority: Number(header("priority") ?? 3),
      click: header("click"),
      attachment: filename === null ? null : { name: filename, bytes: body },
    });
    response
      .writeHead(200, { "Content-Type": "application/json" })
      .end(JSON.stringify({ id: randomBytes(6).toString("hex"), event: "message", topic }));
  };
  const port = await listening(t, server);
  return Object.assign(state, { url: `http://127.0.0.1:${port}`, port });
}

/** A header as Go's mime.WordDecoder reads it. */
function decoded(value: string | string[] | undefined): string | null {
  if (typeof value !== "string") return null;
  return value.replace(/=\?UTF-8\?B\?([^?]*)\?=/gi, (_, text: string) => Buffer.from(text, "base64").toString());
}

/** A mail as the server accepted it. */
export interface TakenMail {
  readonly to: readonly string[];
  readonly from: string;
  readonly raw: string;
  /** Who signed in; null: nobody. */
  readonly user: string | null;
  readonly encrypted: boolean;
}

/**
 * Starts a mail server. With a certificate it offers encryption (or begins with it, `secure`) and requires
 * authentication.
 */
export async function startMail(
  t: Test,
  options: { certificate?: TestCertificate; secure?: boolean; password?: string } = {},
): Promise<{ readonly port: number; readonly mails: TakenMail[] }> {
  const { certificate, secure = false, password } = options;
  const mails: TakenMail[] = [];
  const server = new SMTPServer({
    ...(certificate === undefined ? { hideSTARTTLS: true } : { cert: certificate.cert, key: certificate.key }),
    secure,
    authOptional: password === undefined,
    disableReverseLookup: true,
    onAuth: (auth, _session, done) =>
      auth.password === password
        ? done(null, { user: auth.username ?? "" })
        : done(new Error("Invalid username or password")),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { rcptTo, mailFrom } = session.envelope;
        mails.push({
          to: rcptTo.map(({ address }) => address),
          from: mailFrom === false ? "" : mailFrom.address,
          raw: Buffer.concat(chunks).toString(),
          user: session.user ?? null,
          encrypted: session.secure,
        });
        done();
      });
    },
  });
  server.on("error", () => {}); // a client that does not trust it hangs up
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => new Promise<void>((resolve) => server.close(resolve)));
  return { port: (server.server.address() as AddressInfo).port, mails };
}

/** What reached a browser. */
interface PushedMessage {
  readonly payload: Record<string, unknown>;
  readonly ttl: number;
  readonly urgency: string | undefined;
  /** Claims of the VAPID token. */
  readonly claims: { readonly aud: string; readonly exp: number; readonly sub: string };
}

/** A browser's side of a subscription. */
interface PushBrowser {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly messages: PushedMessage[];
}

/**
 * A push service (RFC 8030) that accepts only what is signed with the hub's key (RFC 8292) and passes it to its
 * browsers decrypted (RFC 8291, 8188).
 */
export interface PushService {
  readonly port: number;
  /** What it refused, in words. */
  readonly refusals: string[];
  /** A browser subscribes with a hub's public key, as `pushManager.subscribe` does. */
  subscribe(applicationServerKey: string): PushBrowser;
  /** The browser accepts nothing more: its endpoint answers 410. */
  end(browser: PushBrowser): void;
}

/** Starts one at `https://127.0.0.1`; it ends with the test. */
export async function startPushService(t: Test, certificate: TestCertificate): Promise<PushService> {
  const browsers = new Map<string, { browser: PushBrowser; ecdh: ReturnType<typeof createECDH>; key: string }>();
  const refusals: string[] = [];
  const server = createHttpsServer({ cert: certificate.cert, key: certificate.key }, (request, response) => {
    void bytesOf(request).then((body) => {
      const found = browsers.get(request.url ?? "");
      if (found === undefined) return void response.writeHead(410).end();
      try {
        const claims = checkVapid(request.headers.authorization ?? "", found.key, `https://127.0.0.1:${port}`);
        if (request.headers["content-encoding"] !== "aes128gcm") throw new Error("not aes128gcm");
        if (body.length > 4_096) throw new Error("too large");
        const payload = JSON.parse(decrypt(body, found.ecdh, Buffer.from(found.browser.auth, "base64url"))) as Record<
          string,
          unknown
        >; // what the hub wrote
        found.browser.messages.push({
          payload,
          ttl: Number(request.headers.ttl),
          urgency: one(request.headers.urgency),
          claims,
        });
        response.writeHead(201, { Location: "/m/1" }).end();
      } catch (error) {
        refusals.push(String(error));
        response.writeHead(403).end();
      }
    });
  });
  const port = await listening(t, server);
  return {
    port,
    refusals,
    subscribe: (key) => {
      const ecdh = createECDH("prime256v1");
      const path = `/push/${randomBytes(12).toString("base64url")}`;
      const browser = {
        endpoint: `https://127.0.0.1:${port}${path}`,
        p256dh: ecdh.generateKeys("base64url"),
        auth: randomBytes(16).toString("base64url"),
        messages: [],
      };
      browsers.set(path, { browser, ecdh, key });
      return browser;
    },
    end: ({ endpoint }) => void browsers.delete(new URL(endpoint).pathname),
  };
}

/**
 * The claims of a `vapid t=…, k=…` header.
 * @throws Error when it is not signed by `key`, not for this service, or good for more than a day
 */
function checkVapid(header: string, key: string, origin: string): PushedMessage["claims"] {
  const [, token = "", shown = ""] = /^vapid t=([^,]+), ?k=(\S+)$/.exec(header) ?? [];
  if (shown !== key) throw new Error(`signed with another key: ${header.slice(0, 40)}`);
  const [head = "", claims = "", signature = ""] = token.split(".");
  const point = Buffer.from(key, "base64url");
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
  };
  const isGood = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  if (!isGood) throw new Error("the signature is wrong");
  const verified = JSON.parse(Buffer.from(claims, "base64url").toString()) as PushedMessage["claims"]; // checked below
  if (verified.aud !== origin) throw new Error(`for ${verified.aud}`);
  const left = verified.exp - Date.now() / 1000;
  if (left <= 0 || left > 86_400) throw new Error(`good for ${left} s`);
  return verified;
}

/** Decrypts one record of aes128gcm with a browser's keys. */
function decrypt(body: Buffer, ecdh: ReturnType<typeof createECDH>, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const idLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + idLength);
  const record = body.subarray(21 + idLength);
  const shared = ecdh.computeSecret(sender);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), ecdh.getPublicKey(), sender]);
  const secret = Buffer.from(hkdfSync("sha256", shared, auth, info, 32));
  const pseudo = createHmac("sha256", salt).update(secret).digest();
  const expand = (label: string, length: number): Buffer =>
    createHmac("sha256", pseudo).update(`${label}\0\x01`).digest().subarray(0, length);
  const decipher = createDecipheriv(
    "aes-128-gcm",
    expand("Content-Encoding: aes128gcm", 16),
    expand("Content-Encoding: nonce", 12),
  );
  decipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = padded.lastIndexOf(2);
  if (end === -1) throw new Error("no delimiter of the last record");
  return padded.subarray(0, end).toString();
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
  return Buffer.concat(chunks);
}

async function listening(t: Test, server: Server & { closeAllConnections(): void }): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port; // it listens on TCP
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
