import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { plainAddress } from "../kernel/admission.ts";
import type { Exchange, RequestFacts } from "./exchange.ts";

interface Parts {
  readonly trustProxy: boolean;
  /** Whether a connection came over the control socket. */
  readonly isBoxSocket: (socket: Socket) => boolean;
}

const NO_PARAMS: Readonly<Record<string, never>> = {};
const NO_BYTES = Buffer.alloc(0);

/** What is known of a request before anything of it is checked. */
export function openExchange(
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  parts: Parts,
): Exchange {
  const { path, search, host } = splitTarget(request);
  const box = parts.isBoxSocket(request.socket);
  const { address, secure } = box ? { address: "local", secure: false } : peer(request, parts.trustProxy);
  const facts: RequestFacts = {
    method: request.method ?? "GET",
    path,
    headers: request.headers,
    address,
    host,
    secure,
    box,
  };
  return {
    request,
    response,
    facts,
    requestId,
    search,
    baseUrl: `${secure ? "https" : "http"}://${host}`,
    headers: {},
    operationId: null,
    rawParams: NO_PARAMS,
    params: NO_PARAMS,
    query: null,
    body: null,
    bodyText: "",
    bytes: NO_BYTES,
    caller: null,
    answer: null,
  };
}

/** Path and query of the request target; the absolute form (RFC 9112 §3.2.2) brings its own host. */
function splitTarget(request: IncomingMessage): { path: string; search: string; host: string } {
  let target = request.url ?? "/";
  let host = request.headers.host ?? "";
  if (!target.startsWith("/") && URL.canParse(target)) {
    const url = new URL(target);
    host = url.host;
    target = url.pathname + url.search;
  }
  const mark = target.indexOf("?");
  return mark === -1
    ? { path: target, search: "", host }
    : { path: target.slice(0, mark), search: target.slice(mark + 1), host };
}

function peer(request: IncomingMessage, trustProxy: boolean): { address: string; secure: boolean } {
  const { socket } = request;
  const remote = socket.remoteAddress ?? "";
  const secure = "encrypted" in socket && socket.encrypted === true;
  const address = plainAddress(remote);
  if (!trustProxy) return { address, secure };
  const forwarded = String(request.headers["x-forwarded-for"] ?? "")
    .split(",")
    .at(-1)
    ?.trim();
  return { address: forwarded || address, secure: secure || request.headers["x-forwarded-proto"] === "https" };
}
