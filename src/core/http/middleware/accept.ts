import { Problem } from "../../kernel/problem.ts";
import type { HubMiddleware } from "../exchange.ts";

/**
 * Checks that the client accepts the operation's media type. Only an Accept header that rules it out is refused; a missing
 * one, wildcards and quality above zero pass. One that accepts JSON passes everywhere: clients send it with every
 * request, and the contract has no refusal for it (docs/spec/device-control-api.md §4, the plate image).
 * @throws Problem `not_acceptable`
 */
export function acceptable(mediaType: string): HubMiddleware {
  return ({ req }, next) => {
    checkAccept(req.headers.accept, mediaType);
    return next();
  };
}

function checkAccept(accept: string | undefined, mediaType: string): void {
  if (accept === undefined || accept === "*/*" || accept === mediaType) return;
  if (quality(accept, mediaType) > 0 || quality(accept, "application/json") > 0) return;
  if (accept.trim() === "") return;
  throw new Problem("not_acceptable", `The answer exists only as ${mediaType}.`);
}

/** The quality that an Accept header gives a media type; 0 if it rules it out. */
function quality(accept: string, mediaType: string): number {
  const wildcard = `${mediaType.slice(0, mediaType.indexOf("/"))}/*`;
  let best = { precision: -1, quality: 0 };
  for (const range of accept.split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const precision = [mediaType, wildcard, "*/*"].indexOf(type);
    if (precision === -1 || 2 - precision <= best.precision) continue;
    best = { precision: 2 - precision, quality: qualityIn(parameters) };
  }
  return best.quality;
}

function qualityIn(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith("q="));
  const value = given === undefined ? 1 : Number(given.slice(2));
  return Number.isNaN(value) ? 1 : value;
}
