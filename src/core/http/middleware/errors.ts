import type { ErrorBody } from "../../api/error.ts";
import { PROBLEMS } from "../../api/problems.ts";
import type { Logger } from "../../kernel/logger.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Exchange, RouteResponse } from "../exchange.ts";

/** Problems after which the connection cannot be used for another request: part of the body is still on its way. */
const CLOSES = new Set(["body_too_large", "unsupported_media_type", "request_timeout", "https_required"]);

/**
 * The one place where an error becomes an answer. Problems keep their code and words; anything else is `internal`, with
 * its cause in the log under the request id and nothing about it in the answer.
 */
export function errorAnswer(
  error: unknown,
  exchange: Pick<Exchange, "requestId" | "facts" | "caller">,
  logger: Logger,
): RouteResponse {
  const problem = asProblem(error);
  const status = statusOf(problem.code);
  if (status >= 500) {
    const { method, path } = exchange.facts;
    const about = { requestId: exchange.requestId, method, path, code: problem.code };
    // A deliberate refusal needs no stack: a client that repeats a request must not fill the log.
    if (error instanceof Problem && error.cause === undefined)
      logger.warn({ ...about, message: error.message }, "request refused");
    else logger.error({ ...about, err: error }, "request failed");
  }
  const headers: Record<string, string> = { ...problem.headers };
  if (status === 401) headers["WWW-Authenticate"] = 'Bearer realm="gatehouse"';
  // An unauthenticated client over its limit has to reconnect: nothing else on the connection is read.
  if (CLOSES.has(problem.code) || (problem.code === "rate_limited" && exchange.caller === null))
    headers.Connection = "close";
  return { status, body: errorBody(problem, exchange.requestId), headers };
}

/** The error body of a problem. */
export function errorBody(problem: Problem, requestId: string): ErrorBody {
  const words = problem.words === null ? {} : { words: problem.words };
  return {
    error: {
      ...problem.fields,
      code: problem.code,
      message: problem.message,
      ...words,
      requestId,
      details: [...problem.details],
    },
  };
}

/** HTTP status of a code. A code that the contract does not list is the hub's own fault: 500. */
export function statusOf(code: string): number {
  return isListed(code) ? PROBLEMS[code].status : 500;
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem && isListed(error.code)) return error;
  return new Problem("internal", "The hub failed to answer; its log names the request id.", { cause: error });
}

function isListed(code: string): code is keyof typeof PROBLEMS {
  return Object.hasOwn(PROBLEMS, code);
}
