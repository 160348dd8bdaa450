import type { ErrorBody, ProblemCode } from "./types.js";

/** The hub refused: `code` says why, for programs; the message is for people. */
export class HubError extends Error {
  override readonly name = "HubError";
  readonly status: number;
  /** One of the codes of /v1/docs; new ones may come, so treat an unknown one by its status. */
  readonly code: ProblemCode | (string & {});
  /** Quote it when you ask for help: the hub's log has it. */
  readonly requestId: string;
  /** Why single fields were refused. */
  readonly details: ErrorBody["error"]["details"];
  /** Seconds to wait before the same request makes sense; null if the hub named none. */
  readonly retryAfterSeconds: number | null;
  /** Every member of the error, such as `requiredScope`. */
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(status: number, error: ErrorBody["error"], retryAfterSeconds: number | null) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.requestId = error.requestId;
    this.details = error.details;
    this.retryAfterSeconds = retryAfterSeconds;
    this.fields = error;
  }
}

/** The hub did not answer: it is off, out of reach, too slow, or its certificate is not trusted. `cause` says more. */
export class HubUnreachable extends Error {
  override readonly name = "HubUnreachable";
}

/** The error in an answer; an answer from something that is not a hub gets the code `not_a_hub`. */
export function errorOf({
  status,
  headers,
  bytes,
}: {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: ArrayBuffer;
}): HubError {
  const seconds = Number.parseInt(headers.get("retry-after") ?? "", 10);
  const unknown = {
    code: "not_a_hub",
    message: `Something answered ${status}, and not as a hub does.`,
    requestId: "",
    details: [],
  };
  return new HubError(
    status,
    errorIn(new TextDecoder().decode(bytes)) ?? unknown,
    Number.isNaN(seconds) ? null : Math.max(0, seconds),
  );
}

function errorIn(text: string): ErrorBody["error"] | null {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null; // anything may be in a hub's place
    return typeof body?.error?.code === "string" ? body.error : null;
  } catch {
    return null;
  }
}
