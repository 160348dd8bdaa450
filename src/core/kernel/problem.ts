import { DescribedError } from "../text/described-error.ts";
import { detailEnglish } from "../text/english.ts";
import type { Detail } from "../text/keys.ts";

/** One reason why one field was refused; `field` is a JSON pointer for bodies, a bare name for query and path. */
export interface ProblemDetail {
  readonly field: string;
  readonly code: string;
  readonly message: string;
  /** Values for the text of the code, such as a limit. */
  readonly values?: Readonly<Record<string, string | number>>;
  /** The message as a code with values, if the problem's code alone is too general. */
  readonly words?: Detail;
}

/** A refused field, with the reason in words that every language of the console has. */
export function fieldRefused(field: string, code: string, words: Detail): ProblemDetail {
  return { field, code, message: detailEnglish(words), words };
}

/** The refusal of a body for one field: `message` is the English of the whole where the reason alone does not do. */
export function bodyRefused(field: string, code: string, words: Detail, message = detailEnglish(words)): Problem {
  return new Problem("invalid_body", message, { details: [fieldRefused(field, code, words)] });
}

/** What a {@link Problem} may carry in addition to its code and message. */
export interface ProblemOptions {
  /** Field errors, listed in the error body. */
  readonly details?: readonly ProblemDetail[];
  /** Further members of the error object, such as `requiredScope`. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Response headers that belong to the problem, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the person in front of the host can do about it. */
  readonly hint?: string;
  readonly cause?: unknown;
  /** The message as a code, if the problem comes from another thread or process. */
  readonly words?: Detail | null;
}

/**
 * An error that a caller may see: a stable code and a message, in English or as a code with values from which every
 * language is rendered. Every code is listed with its HTTP status in `core/api/problems.ts`; one place
 * (`core/http/middleware/errors.ts`) turns problems into answers.
 */
export class Problem extends DescribedError {
  override readonly name = "Problem";
  readonly code: string;
  readonly details: readonly ProblemDetail[];
  readonly fields: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly hint: string | null;

  constructor(code: string, message: string | Detail, options: ProblemOptions = {}) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0; // nobody reads the stack, and refusals under load are many
    super(message, { ...(options.cause === undefined ? {} : { cause: options.cause }), words: options.words ?? null });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.details = options.details ?? [];
    this.fields = options.fields ?? {};
    this.headers = options.headers ?? {};
    this.hint = options.hint ?? null;
  }
}
