import { signal } from "@preact/signals";

/** An error answer of the hub, in the one shape that all of them have. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** Field → what is wrong with it, for forms. */
  readonly fields: Readonly<Record<string, string>>;
  /** Field → code of what is wrong with it, for other languages. */
  readonly fieldCodes: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Record<string, unknown>) {
    super(typeof body.message === "string" ? body.message : `HTTP ${status}`);
    this.status = status;
    this.code = typeof body.code === "string" ? body.code : "unknown";
    this.body = body;
    const details: readonly { field: string; code: string; message: string }[] = Array.isArray(body.details) ? body.details : [];
    const name = (field: string): string => field.replace(/^\//, "").replaceAll("/", ".");
    this.fields = Object.fromEntries(details.map(({ field, message }) => [name(field), message]));
    this.fieldCodes = Object.fromEntries(details.map(({ field, code }) => [name(field), code]));
  }
}

/** Whether the hub answered the last request; false shows the banner. */
export const reachable = signal(true);

/** Called when the hub says that nobody is signed in (any more). */
export const signedOut = signal(false);

/** The hub wants to know again who is there; {@link ProofQuestion.answer} says whether the person has proved it. */
export interface ProofQuestion {
  /** A code goes with the password. */
  readonly secondFactor: boolean;
  /** A passkey works on this page. */
  readonly passkey: boolean;
  readonly answer: (proved: boolean) => void;
}

/** What the person is asked now; null: nothing. */
export const proofQuestion = signal<ProofQuestion | null>(null);
let asking: Promise<boolean> | null = null;

/**
 * Sends one request to the hub and returns the JSON body. Where the hub wants a fresh proof of who is there, the person is asked for it and
 * the request is sent again. @throws ApiError for every answer that is not 2xx and when the hub cannot be reached (status 0).
 */
export async function request<Body>(method: string, url: string, body?: unknown): Promise<Body> {
  try {
    return await send<Body>(method, url, body);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "fresh_proof_required" || !(await askForProof(error.body))) throw error;
    return send<Body>(method, url, body);
  }
}

/** Requests that wait for a proof at the same time wait for the same one. */
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

async function send<Body>(method: string, url: string, body: unknown): Promise<Body> {
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      credentials: "same-origin",
      // The browser writes the content type of forms, with their boundary, and of files.
      ...(body === undefined
        ? {}
        : body instanceof FormData || body instanceof Blob
          ? { body }
          : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
    });
  } catch {
    reachable.value = false;
    throw new ApiError(0, { code: "unreachable", message: "The hub does not answer." });
  }
  reachable.value = true;
  const text = await response.text();
  const json: unknown = text === "" ? {} : parse(text);
  if (response.ok) return json as Body; // the hub checks its answers against the same schema as the caller's type
  const error = typeof json === "object" && json !== null && "error" in json && typeof json.error === "object" && json.error !== null ? json.error : {};
  const problem = new ApiError(response.status, error as Record<string, unknown>); // an object, checked above
  if (response.status === 401 && !url.startsWith("/api/session")) signedOut.value = true;
  throw problem;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** GET with the answer's type. */
export const get = <Body>(url: string): Promise<Body> => request<Body>("GET", url);
/** POST with the answer's type. */
export const post = <Body>(url: string, body?: unknown): Promise<Body> => request<Body>("POST", url, body ?? {});
/** PATCH with the answer's type. */
export const patch = <Body>(url: string, body: unknown): Promise<Body> => request<Body>("PATCH", url, body);
/** PUT with the answer's type. */
export const put = <Body>(url: string, body: unknown): Promise<Body> => request<Body>("PUT", url, body);
/** DELETE with the answer's type. */
export const remove = <Body>(url: string): Promise<Body> => request<Body>("DELETE", url);
