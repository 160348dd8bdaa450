import type { IncomingMessage } from "node:http";
import { shareOf } from "../../kernel/admission.ts";
import { freeBytes } from "../../kernel/free-bytes.ts";
import { Problem } from "../../kernel/problem.ts";
import type { BoundRoute, Exchange, HubMiddleware } from "../exchange.ts";
import type { FairScheduler } from "../fair-scheduler.ts";
import type { BodyRoom, Sender } from "./body-room.ts";
import type { Check } from "./validate.ts";

const LARGEST_BODY_BYTES = 65_536;
const DEEPEST = 16;
const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A route's rule for its body. */
export interface BodyRule {
  /** Media type that is taken; several are separated by commas. */
  readonly mediaType: string;
  readonly maxBytes: number;
}

/** The rule of a route's body; JSON of at most 64 KiB unless the route defines otherwise. */
export function bodyRule(route: { readonly bodyType?: string; readonly maxBodyBytes?: number }): BodyRule {
  return { mediaType: route.bodyType ?? "application/json", maxBytes: route.maxBodyBytes ?? LARGEST_BODY_BYTES };
}

/**
 * Refuses a body by its headers alone, before a byte of it is read: media type and encoding (415), declared size (413).
 * A request with neither body nor media type passes; the missing body is then 400.
 */
export function bodyHeaders(rule: BodyRule): HubMiddleware {
  return ({ req }, next) => {
    checkBodyHeaders(req, rule);
    return next();
  };
}

/** The body that an operation takes. */
export interface TakenBody {
  readonly rule: BodyRule;
  readonly check: Check;
  /** Names of its own fields that hold text typed by a person: they are trimmed before they are checked. */
  readonly textFields: readonly string[];
}

/** What {@link body} works with. */
interface BodyReading {
  readonly bodies: BodyRoom;
  /** For requests without a credential. */
  readonly scheduler: FairScheduler;
  /** Identifies the caller anew: a body may take its time, and the credential may have ended meanwhile. */
  readonly again: (exchange: Exchange) => void;
}

/**
 * Reads and validates the body, after everything that can be known without it has been checked. Its memory is reused
 * once the request has been handled.
 */
export function body(route: BoundRoute, taken: TakenBody, parts: BodyReading): HubMiddleware {
  return async ({ state }, next) => {
    const { request, response, caller, facts } = state;
    route.before?.({ params: state.params, query: state.query, bodyBytes: declaredBytes(request) }, caller);
    const share = shareOf(facts.address);
    const isKnown = caller !== null || facts.box || route.before !== undefined;
    if (request.headers.expect !== undefined) response.writeContinue();
    const sender = { name: caller?.actor ?? share, isKnown };
    const { bytes, release } = await readBody(request, taken.rule.maxBytes, { room: parts.bodies, sender });
    try {
      await taken.check.ready();
      // many bodies may have come together
      if (caller === null && !facts.box) await parts.scheduler.wait(share);
      parts.again(state);
      state.bytes = bytes;
      if (taken.rule.mediaType === "application/json") readJson(state, taken, route.spec.forwardsBody === true);
      await next();
    } finally {
      release();
    }
  };
}

function readJson(state: Exchange, { check, textFields }: TakenBody, anyNames: boolean): void {
  const { value, text } = parseJsonObject(state.bytes, { anyNames });
  const fields = value as Record<string, unknown>; // parseJsonObject gives plain objects only
  for (const name of textFields) {
    const typed = fields[name];
    if (typeof typed === "string") fields[name] = typed.trim();
  }
  const details = check(value);
  if (details) {
    const first = details[0];
    throw new Problem(
      "invalid_body",
      first ? `The body is not valid: ${first.field || "it"} ${first.message}.` : "The body is not valid.",
      { details },
    );
  }
  state.body = value;
  state.bodyText = text;
}

function checkBodyHeaders(request: IncomingMessage, rule: BodyRule): void {
  const { headers } = request;
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity")
    throw wrongMediaType("The body must not be compressed.");
  const type = headers["content-type"];
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  if (type === undefined ? hasBody : !matchesMediaType(type, rule.mediaType)) {
    throw wrongMediaType(
      `The body must be ${rule.mediaType}${rule.mediaType === "application/json" ? " in UTF-8" : ""}.`,
    );
  }
  if (Number(headers["content-length"] ?? 0) > rule.maxBytes) throw tooLarge(rule.maxBytes);
}

/** Declared size of the body; null when it comes in chunks. */
export function declaredBytes({ headers }: IncomingMessage): number | null {
  return headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : null;
}

/** A body's bytes, and the call that releases them: their memory is reused. */
export interface ReadBody {
  readonly bytes: Buffer;
  release(): void;
}

/**
 * Reads the body's bytes; they count in `room` until they are released.
 * @throws Problem `body_too_large`, `request_timeout`, `unavailable` when many others send large ones,
 *   `invalid_request` when the client breaks off
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  { room, sender }: { readonly room: BodyRoom; readonly sender: Sender },
): Promise<ReadBody> {
  return new Promise((resolve, reject) => {
    const body = new GrowingBytes(Math.min(declaredBytes(request) ?? maxBytes, maxBytes));
    const refuse = (problem: Problem): void => {
      request.removeAllListeners("data");
      request.pause(); // the rest stays on its way; the response ends the connection
      body.drop();
      held.release();
      reject(problem);
    };
    const held = room.open(sender, declaredBytes(request) ?? maxBytes, (late) =>
      refuse(late ? new Problem("request_timeout", "The body did not arrive in time.") : noRoom()),
    );
    request.on("data", (chunk: Buffer) => {
      if (body.size + chunk.length > maxBytes) return refuse(tooLarge(maxBytes));
      body.add(chunk);
      held.add(chunk.length);
    });
    request.on("end", () => {
      held.complete();
      resolve({
        bytes: body.all(),
        release: () => {
          held.release();
          body.drop();
        },
      });
    });
    request.on("error", (cause) =>
      refuse(new Problem("invalid_request", { code: "refusal.body.brokeOff" }, { cause })),
    );
    request.on("close", () => {
      if (!request.complete) refuse(new Problem("invalid_request", { code: "refusal.body.brokeOff" }));
    });
  });
}

const NO_BYTES = Buffer.alloc(0);

/**
 * The bytes of a body. Pieces are gathered in one growing buffer: joining them at the end would hold every byte twice
 * for the duration of the request.
 */
class GrowingBytes {
  readonly #most: number;
  #bytes: Buffer = NO_BYTES;
  #isOwn = false;
  size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(chunk: Buffer): void {
    const size = this.size + chunk.length;
    if (this.size === 0) this.#bytes = chunk;
    else {
      if (!this.#isOwn || size > this.#bytes.length) this.#grow(size);
      this.#bytes.set(chunk, this.size);
    }
    this.size = size;
  }

  all(): Buffer {
    return this.#bytes.subarray(0, this.size);
  }

  drop(): void {
    if (this.#isOwn) freeBytes(this.#bytes);
    this.#isOwn = false;
    this.#bytes = NO_BYTES;
    this.size = 0;
  }

  #grow(size: number): void {
    const before = this.#bytes;
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(size, Math.min(this.#most, 2 * size)));
    this.#bytes.set(before.subarray(0, this.size));
    if (this.#isOwn) freeBytes(before);
    this.#isOwn = true;
  }
}

function noRoom(): Problem {
  return new Problem(
    "unavailable",
    { code: "unavailable.largeRequests" },
    {
      headers: { "Retry-After": "5" },
    },
  );
}

/**
 * Decodes a JSON object: strict UTF-8, nesting at most 16, no `__proto__` unless `anyNames`. Returns it with the text as
 * sent.
 */
export function parseJsonObject(bytes: Buffer, { anyNames = false } = {}): { value: object; text: string } {
  if (bytes.length === 0) throw new Problem("invalid_body", { code: "refusal.body.empty" });
  let text: string;
  let value: unknown;
  try {
    text = UTF_8.decode(bytes);
  } catch (cause) {
    throw new Problem("invalid_json", { code: "refusal.body.notUtf8" }, { cause });
  }
  if (nesting(text) > DEEPEST) throw new Problem("invalid_json", { code: "refusal.body.tooDeep", limit: DEEPEST });
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Problem("invalid_json", { code: "refusal.body.notJson" }, { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Problem("invalid_body", { code: "refusal.body.notAnObject" });
  if (!anyNames && /__proto__|\\u00/i.test(text)) refusePrototypeKeys(value);
  return { value, text };
}

/** Deepest nesting of brackets outside strings: known before JSON.parse builds anything. */
function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i += 1;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return deepest;
}

/** A key named __proto__ becomes a prototype in careless code further on, here or on a device. */
function refusePrototypeKeys(value: object): void {
  for (const [key, inner] of Object.entries(value)) {
    if (key === "__proto__") throw new Problem("invalid_body", { code: "refusal.body.key" });
    if (typeof inner === "object" && inner !== null) refusePrototypeKeys(inner);
  }
}

function matchesMediaType(header: string, mediaType: string): boolean {
  const [type = "", ...parameters] = header.split(";").map((part) => part.trim().toLowerCase());
  if (!mediaType.split(",").some((taken) => taken.trim() === type)) return false;
  if (mediaType !== "application/json") return true;
  return parameters.every((parameter) => !parameter.startsWith("charset=") || /^charset="?utf-?8"?$/.test(parameter));
}

function wrongMediaType(message: string): Problem {
  return new Problem("unsupported_media_type", message);
}

function tooLarge(maxBytes: number): Problem {
  return new Problem("body_too_large", `The body may have at most ${maxBytes} bytes.`, { fields: { maxBytes } });
}
