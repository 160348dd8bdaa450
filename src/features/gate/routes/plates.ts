import { decodePosition, encodeCursor, nextLink } from "../../../core/http/cursor.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { getPlateImage, listPlates } from "../api/plates.ts";
import type { PlateReads, PlateReadView } from "../plate-reads.ts";
import type { PlateRead } from "../resources/plate-read.ts";

// personal data: a browser asks each time whether it may still show it
const IMAGE_HEADERS = { "Cache-Control": "private, no-cache" };

/** The plate routes of /v1. */
export function plateRoutes(reads: PlateReads): BoundRoute[] {
  return [
    bind(listPlates, (request) => {
      const { caller, query, baseUrl } = request;
      const { limit = 50, since, until, cursor, ...filter } = query;
      const { reads: page, next } = reads.list(caller.siteId, {
        ...filter,
        limit,
        since: since === undefined ? undefined : Date.parse(since),
        until: until === undefined ? undefined : Date.parse(until),
        before: decodePosition(cursor),
      });
      const body = { plates: page.map((read) => shownRead(read, baseUrl)) };
      return { status: 200, body, headers: next ? { Link: nextLink(request, encodeCursor([next.at, next.id])) } : {} };
    }),
    bind(getPlateImage, async ({ caller, params }) => ({
      status: 200,
      bytes: await reads.image(caller.siteId, params.id),
      contentType: "image/jpeg",
      headers: IMAGE_HEADERS,
    })),
  ];
}

/** A read in the shape of the contract. */
export function shownRead(read: PlateReadView, baseUrl: string): PlateRead {
  return {
    id: read.id,
    deviceId: read.deviceId,
    captureId: read.captureId,
    plate: read.plate,
    formatted: read.formatted,
    confidence: read.confidence,
    votes: read.votes,
    samples: read.samples,
    plateKind: read.plateKind,
    status: read.status,
    reason: read.reason,
    decision: read.decision,
    direction: read.direction,
    trigger: read.trigger,
    hasImage: read.hasImage,
    imageUrl: read.hasImage ? `${baseUrl}/v1/plates/${read.id}/image` : null,
    at: isoTime(read.at),
    gate: read.gate && {
      ...read.gate,
      settledAt: isoTimeOrNull(read.gate.settledAt),
      odd: [...read.gate.odd],
    },
    label: read.label,
  };
}
