import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Poster, ReceiverResponse } from "../../core/kernel/post.ts";
import type { Detail } from "../../core/text/keys.ts";

/** A server with InfluxDB's API: `/write` of version 1, or `/api/v2/write` of version 2 and later. */
export interface InfluxTarget {
  readonly version: "1" | "2";
  /** Without the API's path. */
  readonly url: string;
  /** Version 1. */
  readonly database: string;
  /** Version 1; empty for a server without one. */
  readonly user: string;
  /** Version 2. */
  readonly org: string;
  /** Version 2. */
  readonly bucket: string;
}

/**
 * The outcome of a batch. `taken`: the server has it, except for `refused` points that it will never take; `split`: it
 * refuses some of it, or its size; `later`: nothing was accepted yet.
 */
export type Written =
  | { readonly result: "taken"; readonly refused: number; readonly words: Detail | null }
  | { readonly result: "split"; readonly words: Detail }
  | { readonly result: "later"; readonly words: Detail; readonly afterMs: number | null };

const compress = promisify(gzip);
const NO_CONTENT = 204;
/** InfluxDB's errors about points that it will never accept. */
const ABOUT_POINTS =
  /partial write|unable to parse|type conflict|beyond retention|outside.{0,80}retention|is invalid$/i;
const LONGEST_WAIT_S = 3_600;

/** Writes lines to the server; `secret` is the password of version 1, or the token of version 2. Never rejects. */
export async function writeLines(
  poster: Pick<Poster, "post">,
  target: InfluxTarget & { readonly secret: string | null },
  lines: readonly string[],
  signal: AbortSignal,
): Promise<Written> {
  const body = await compress(`${lines.join("\n")}\n`);
  const headers: Record<string, string> = {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Encoding": "gzip",
    ...authorization(target),
  };
  return outcomeOf(await poster.post(addressOf(target), headers, body, signal));
}

/** The address for a target's points; times are in nanoseconds, both versions' default. */
function addressOf({ version, url, database, org, bucket }: InfluxTarget): string {
  const base = withoutTrailingSlashes(url);
  return version === "1"
    ? `${base}/write?${new URLSearchParams({ db: database })}`
    : `${base}/api/v2/write?${new URLSearchParams({ org, bucket })}`;
}

/** A regular expression would retry every slash in a text of only slashes. */
function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end -= 1;
  return text.slice(0, end);
}

function authorization({ version, user, secret }: InfluxTarget & { readonly secret: string | null }) {
  if (version === "2") return secret === null ? {} : { Authorization: `Token ${secret}` };
  if (user === "") return {};
  return { Authorization: `Basic ${Buffer.from(`${user}:${secret ?? ""}`).toString("base64")}` };
}

function outcomeOf({ status, error, text, retryAfter }: ReceiverResponse): Written {
  const later = (words: Detail, afterMs: number | null = null): Written => ({ result: "later", words, afterMs });
  // Some other web server may well answer 200 to anything: data lost there would never be noticed.
  if (status === NO_CONTENT) return { result: "taken", refused: 0, words: null };
  if (status === null) return later({ code: "series.away", why: error ?? "" });
  const why = saidIn(text);
  if (status === 401 || status === 403) return later({ code: "series.forbidden", status });
  if (status === 404) return later({ code: "series.noDatabase", why });
  if (status === 413) return { result: "split", words: { code: "series.tooLarge" } };
  if (status === 429 || status >= 500) {
    const seconds = Number(retryAfter);
    const isSaid = Number.isFinite(seconds) && seconds > 0;
    const words: Detail = { code: "series.busy", status, why: why === "" ? "" : `: ${why}` };
    return later(words, isSaid ? Math.min(seconds, LONGEST_WAIT_S) * 1_000 : null);
  }
  if ((status === 400 || status === 422) && ABOUT_POINTS.test(why)) {
    const words: Detail = { code: "series.refused", why };
    if (!/partial write/i.test(why)) return { result: "split", words };
    return { result: "taken", refused: Math.max(1, Number(/dropped=(\d+)/.exec(why)?.[1] ?? 1)), words };
  }
  return later({ code: "series.notInflux", status, why: why === "" ? "" : `: ${why}` });
}

/** The error in the server's JSON answer; empty for any other answer. */
function saidIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== "object" || body === null) return "";
    const word = "error" in body ? body.error : "message" in body ? body.message : "";
    if (typeof word !== "string") return "";
    return word
      .replace(/\p{Cc}+/gu, " ")
      .trim()
      .slice(0, 200);
  } catch {
    return "";
  }
}
