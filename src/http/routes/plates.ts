import type { PlateRead } from "../../contract/resources/plate-read.js";
import { getPlateImage, listPlates } from "../../contract/routes/plates.js";
import { isoTime } from "../../kernel/clock.js";
import { decodePosition, encodeCursor, nextLink, type Position } from "../cursor.js";
import { type BoundRoute, bind } from "../exchange.js";

/** A read as the gate keeps it: the contract's fields with `at` in epoch milliseconds. */
export type KeptRead = Omit<PlateRead, "imageUrl" | "at"> & { readonly at: number };

/** Which reads are asked for; `plate` as typed, `since` and `until` in epoch milliseconds and inclusive. */
interface ReadQuery {
  readonly limit: number;
  readonly deviceId?: string | undefined;
  readonly plate?: string | undefined;
  readonly decision?: PlateRead["decision"] | undefined;
  readonly status?: PlateRead["status"] | undefined;
  readonly direction?: "in" | "out" | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly before?: Position | undefined;
}

/** What the plate routes ask of the hub (`PlateReads`). */
export interface PlateService {
  /** Newest first by (at, id); `next` is set when there are more. @throws Problem `invalid_plate`. */
  list(siteId: number, query: ReadQuery): { readonly reads: readonly KeptRead[]; readonly next: Position | null };
  /** The JPEG of a read. @throws Problem `plate_read_not_found`, `image_not_found`. */
  image(siteId: number, readId: number): Promise<Buffer>;
}

const IMAGE_HEADERS = { "Cache-Control": "private, no-cache" }; // personal data: a browser asks each time whether it may still show it

/** The plate routes of /v1. */
export function plateRoutes(service: PlateService): BoundRoute[] {
  return [
    bind(listPlates, (request) => {
      const { caller, query, baseUrl } = request;
      const { limit = 50, since, until, cursor, ...filter } = query;
      const { reads, next } = service.list(caller.siteId, {
        ...filter,
        limit,
        since: since === undefined ? undefined : Date.parse(since),
        until: until === undefined ? undefined : Date.parse(until),
        before: decodePosition(cursor),
      });
      const body = { plates: reads.map((read) => shownRead(read, baseUrl)) };
      return { status: 200, body, headers: next ? { Link: nextLink(request, encodeCursor([next.at, next.id])) } : {} };
    }),
    bind(getPlateImage, async ({ caller, params }) => ({
      status: 200,
      bytes: await service.image(caller.siteId, params.id),
      contentType: "image/jpeg",
      headers: IMAGE_HEADERS,
    })),
  ];
}

/** A read in the shape of the contract. */
export function shownRead(read: KeptRead, baseUrl: string): PlateRead {
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
  };
}
