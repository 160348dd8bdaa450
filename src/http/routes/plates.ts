import type { PlateRead } from "../../contract/resources/plate-read.js";
import { getPlateImage, listPlates } from "../../contract/routes/plates.js";
import { isoTime } from "../../kernel/clock.js";
import { Problem } from "../../kernel/problem.js";
import { decodePosition, encodeCursor, nextLink, type Position, pageOf } from "../cursor.js";
import { type BoundRoute, bind } from "../exchange.js";

/** A read as the gate keeps it: the contract's fields with `at` in epoch milliseconds. */
export type KeptRead = Omit<PlateRead, "imageUrl" | "at"> & { readonly at: number };

/** Which reads are asked for; plates are normalised. */
export interface ReadQuery {
  readonly limit: number;
  readonly deviceId?: string;
  readonly plate?: string;
  readonly decision?: PlateRead["decision"];
  readonly status?: PlateRead["status"];
  readonly sinceMs?: number;
  readonly before?: Position;
}

/** What the plate routes ask of the hub. */
export interface PlateService {
  /** Newest first by (at, id). */
  list(siteId: number, query: ReadQuery): readonly KeptRead[];
  /** The JPEG of a read. @throws Problem `plate_read_not_found`, `image_not_found`. */
  image(siteId: number, readId: number): Promise<Buffer>;
  /** The plate as reads carry it; null when the text can be no plate. */
  normalise(text: string): string | null;
}

const IMAGE_HEADERS = { "Cache-Control": "private, max-age=300" }; // personal data: it must go when it expires

/** The plate routes of /v1. */
export function plateRoutes(service: PlateService): BoundRoute[] {
  return [
    bind(listPlates, (request) => {
      const { caller, query, baseUrl } = request;
      const { limit = 50, since, plate, cursor, ...filter } = query;
      const before = decodePosition(cursor);
      const reads = service.list(caller.siteId, {
        ...filter,
        limit: limit + 1,
        ...(plate === undefined ? {} : { plate: normalised(service, plate) }),
        ...(since === undefined ? {} : { sinceMs: Date.parse(since) }),
        ...(before ? { before } : {}),
      });
      const { page, last } = pageOf(reads, limit);
      const body = { plates: page.map((read) => shown(read, baseUrl)) };
      return { status: 200, body, headers: last ? { Link: nextLink(request, encodeCursor([last.at, last.id])) } : {} };
    }),
    bind(getPlateImage, async ({ caller, params }) => ({
      status: 200,
      bytes: await service.image(caller.siteId, params.id),
      contentType: "image/jpeg",
      headers: IMAGE_HEADERS,
    })),
  ];
}

function normalised(service: PlateService, text: string): string {
  const plate = service.normalise(text);
  if (plate !== null) return plate;
  throw new Problem("invalid_plate", "The text cannot be a number plate.", {
    details: [{ field: "plate", code: "invalid_plate", message: "cannot be a number plate" }],
  });
}

function shown(read: KeptRead, baseUrl: string): PlateRead {
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
