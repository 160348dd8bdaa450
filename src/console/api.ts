import { signal } from "@preact/signals";
import type { Method } from "../core/api/route.ts";
import type { AnswerTo, InputOf, PathOf } from "./operations.ts";

/** The problem with one field of a request. */
export interface Fault {
  /** Which field, with dots: `source.url`, `actions.0.deviceId`; empty: the request as a whole. */
  readonly field: string;
  readonly code: string;
  /** The hub's English, for programs. */
  readonly message: string;
  /** The values that the code's text needs. */
  readonly values: Readonly<Record<string, string | number>>;
  /** The message as a code with values; absent if `code` alone is enough. */
  readonly words?: unknown;
}

/**
 * An error answer of the hub, in the one shape that all errors have. Its text for people comes from i18n/hub-texts.ts.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly faults: readonly Fault[];
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Record<string, unknown>) {
    super(typeof body.message === "string" ? body.message : `HTTP ${status}`);
    this.status = status;
    this.code = typeof body.code === "string" ? body.code : "unknown";
    this.body = body;
    const details: readonly (Omit<Fault, "values"> & Partial<Fault>)[] = Array.isArray(body.details)
      ? body.details
      : []; // the single error shape
    this.faults = details.map(({ field, values = {}, ...rest }) => ({
      ...rest,
      values,
      field: field.replace(/^\//, "").replaceAll("/", "."),
    }));
  }
}

/** Whether the hub answered the last request; false shows the banner. */
export const reachable = signal(true);

/** Whether the hub has reported that nobody is signed in (any more). */
export const signedOut = signal(false);

/** Whether something could not be loaded because the hub did not answer, since the current page was opened. */
export const missed = signal(false);

/** While the page waits for a new sign-in, it loads nothing by itself. */
export const isWaiting = signal(false);
/** The sign-in question. */
const WAY_IN = /^\/api\/(session|standing|claim)\b/;

/** Whether a request was refused because the session has ended: the sign-in question reports that. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401 && error.code.endsWith("_credential");
}

/** The hub asks for a fresh proof of identity; {@link ProofQuestion.answer} reports whether the person gave it. */
export interface ProofQuestion {
  /** A second-factor code is needed with the password. */
  readonly secondFactor: boolean;
  /** A passkey works on this page. */
  readonly passkey: boolean;
  readonly answer: (proved: boolean) => void;
}

/** The open question; null: none. */
export const proofQuestion = signal<ProofQuestion | null>(null);
let asking: Promise<boolean> | null = null;

/** The possible parts of a request; {@link InputOf} has those of one operation. */
interface Input {
  readonly params?: object;
  readonly query?: object;
  readonly body?: unknown;
}

/**
 * Sends one request to the hub and returns the JSON body. If the hub wants a fresh proof of identity, the person is
 * asked for it and the request is sent again.
 * @throws ApiError for every answer that is not 2xx, and when the hub cannot be reached (status 0)
 */
async function request<Answer>(
  method: Method,
  path: string,
  { params = {}, query = {}, body = method === "POST" ? {} : undefined }: Input,
): Promise<Answer> {
  const values = new Map<string, unknown>(Object.entries(params));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
  const url =
    path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values.get(name)))) +
    (search.size > 0 ? `?${search}` : "");
  try {
    return await send<Answer>(method, url, body);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "fresh_proof_required" || !(await askForProof(error.body)))
      throw error;
    return send<Answer>(method, url, body);
  }
}

/** Requests that need a proof at the same time wait for the same one. */
function askForProof({ secondFactor, passkey }: Readonly<Record<string, unknown>>): Promise<boolean> {
  asking ??= new Promise<boolean>((resolve) => {
    const answer = (proved: boolean): void => {
      proofQuestion.value = null;
      asking = null;
      resolve(proved);
    };
    proofQuestion.value = { secondFactor: secondFactor === true, passkey: passkey === true, answer };
  });
  return asking;
}

async function send<Answer>(method: string, url: string, body: unknown): Promise<Answer> {
  if (isWaiting.value && !WAY_IN.test(url)) throw new ApiError(401, { code: "missing_credential" });
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      credentials: "same-origin",
      // The browser sets the content type of forms (with their boundary) and of files.
      ...(body === undefined
        ? {}
        : body instanceof FormData || body instanceof Blob
          ? { body }
          : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
    });
  } catch {
    reachable.value = false;
    if (method === "GET" && !WAY_IN.test(url)) missed.value = true;
    throw new ApiError(0, { code: "unreachable", message: "The hub does not answer." });
  }
  reachable.value = true;
  const text = await response.text();
  const json: unknown = text === "" ? {} : parse(text);
  if (response.ok) return json as Answer; // the hub checks its answers against the same schema as the caller's type
  const error =
    typeof json === "object" &&
    json !== null &&
    "error" in json &&
    typeof json.error === "object" &&
    json.error !== null
      ? json.error
      : {};
  const problem = new ApiError(response.status, error as Record<string, unknown>); // an object, checked above
  if (isSignedOut(problem)) signedOut.value = true;
  throw problem;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/**
 * Calls of one method: the path determines the input (`params` in the path, `query`, `body`) and the response, as the
 * hub's route defines them.
 */
function calls<Verb extends Method>(method: Verb) {
  return <Path extends PathOf<Verb>>(path: Path, ...[input]: Arguments<Verb, Path>): Promise<AnswerTo<Verb, Path>> =>
    request(method, path, input ?? {});
}

/** The input may be left out if nothing in it is required. */
type Arguments<Verb extends Method, Path extends string> =
  object extends InputOf<Verb, Path> ? [input?: InputOf<Verb, Path>] : [input: InputOf<Verb, Path>];

/** Notes from a response to a request of a page's own, for a picture, that the session has ended. */
export function noteSession({ status }: Response): void {
  if (status === 401) signedOut.value = true;
}

export const get = calls("GET");
export const post = calls("POST");
export const patch = calls("PATCH");
export const put = calls("PUT");
export const remove = calls("DELETE");
