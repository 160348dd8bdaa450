import { Problem } from "../../core/kernel/problem.ts";
import { MAX_FRAMES } from "./captures.ts";

const MAX_HEADER_BYTES = 2_048;
/** Parts of a form, files or not: a body has room for a million empty ones, each of which is looked at. */
const MAX_PARTS = 64;

/**
 * The pictures of an HTTP push: one `image/jpeg`, or the file parts of `multipart/form-data` (RFC 7578) in order.
 * @throws Problem unsupported_media_type, invalid_body, limit_reached.
 */
export function parsePushBody(contentType: string, body: Buffer): Buffer[] {
  const [type = ""] = contentType.toLowerCase().split(";");
  if (type.trim() === "image/jpeg") return body.length === 0 ? refuse("refusal.capture.empty") : [body];
  const boundary = /boundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/i.exec(contentType)?.slice(1).find(Boolean);
  if (type.trim() !== "multipart/form-data" || boundary === undefined)
    throw new Problem("unsupported_media_type", "The body must be image/jpeg or multipart/form-data with JPEG parts.");
  const frames = parts(body, Buffer.from(`--${boundary}`));
  if (frames.length === 0) return refuse("refusal.capture.noFile");
  if (frames.length > MAX_FRAMES) throw tooMany();
  return frames;
}

function parts(body: Buffer, delimiter: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  const line = Buffer.concat([Buffer.from("\r\n"), delimiter]);
  let at = body.indexOf(delimiter);
  for (let count = 0; at >= 0; count++) {
    const from = at + delimiter.length;
    if (body.toString("latin1", from, from + 2) === "--") return frames;
    if (count >= MAX_PARTS) throw tooMany();
    const next = body.indexOf(line, from);
    if (next < 0) return refuse("refusal.capture.cutOff");
    const headerEnd = body.indexOf("\r\n\r\n", from);
    if (headerEnd < 0 || headerEnd > next || headerEnd - from > MAX_HEADER_BYTES)
      return refuse("refusal.capture.noHeaders");
    const isFile =
      /^content-disposition:[^\r\n]*\bfilename\*?=/im.test(body.toString("latin1", from, headerEnd)) ||
      /content-type:\s*image\//i.test(body.toString("latin1", from, headerEnd));
    if (isFile) frames.push(body.subarray(headerEnd + 4, next));
    if (frames.length > MAX_FRAMES) return frames;
    at = next + 2;
  }
  return refuse("refusal.capture.cutOff");
}

function tooMany(): Problem {
  return new Problem("limit_reached", { code: "refusal.most.frames", limit: MAX_FRAMES });
}

function refuse(code: `refusal.capture.${"cutOff" | "empty" | "noFile" | "noHeaders"}`): never {
  throw new Problem("invalid_body", { code });
}
