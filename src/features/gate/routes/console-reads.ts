import { decodePosition, encodeCursor, nextLink } from "../../../core/http/cursor.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import type { Decision } from "../../../core/plates/decide.ts";
import { diagnoseCamera } from "../api/console-cameras.ts";
import {
  countReads,
  exportPictures,
  exportReads,
  getGateSetUp,
  getPlateCrop,
  getRead,
  getSeenReads,
  getSmallPicture,
  listInside,
  listReads,
  markReadsSeen,
  readHours,
} from "../api/console-reads.ts";
import type { CameraDoctor } from "../camera-doctor.ts";
import type { DayFilter, GateDay, GateReadView } from "../gate-day.ts";
import type { PlateCrops } from "../plate-crops.ts";
import type { PlateReads } from "../plate-reads.ts";
import type { GateRead } from "../resources/gate-read.ts";
import type { SeenReads } from "../seen-reads.ts";
import { shownRead } from "./plates.ts";

// personal data: a browser asks each time whether it may still show it
const PICTURE_HEADERS = { "Cache-Control": "private, no-cache" };

/** Sightings of the console: one, lists, hours, crops, exports, and up to where a person has seen them. */
export function gateDayRoutes({
  day,
  reads,
  seen,
  crops,
  doctor,
}: {
  readonly day: GateDay;
  readonly reads: Pick<PlateReads, "captures">;
  readonly seen: Pick<SeenReads, "upTo" | "raise">;
  readonly crops: PlateCrops;
  readonly doctor: Pick<CameraDoctor, "diagnose">;
}): BoundRoute[] {
  return [
    bind(getRead, ({ caller, params, baseUrl }) => ({
      status: 200,
      body: {
        plate: {
          ...shownGateRead(day.get(caller.siteId, params.id), baseUrl),
          captures: reads.captures(caller.siteId, params.id).map((one) => ({ ...one, at: isoTime(one.at) })),
        },
      },
    })),
    bind(getSeenReads, ({ caller }) => ({ status: 200, body: { seen: { upToId: seen.upTo(caller.accountId) } } })),
    bind(markReadsSeen, async ({ caller, body }) => {
      await seen.raise(caller.siteId, caller.accountId, body.upToId);
      return { status: 200, body: { seen: { upToId: seen.upTo(caller.accountId) } } };
    }),
    bind(listReads, (request) => {
      const { caller, query, baseUrl } = request;
      const { limit = 50, order, cursor, ids, ...filter } = query;
      if (ids !== undefined) {
        const reads = day.named(caller.siteId, ids.split(",").map(Number));
        return { status: 200, body: { reads: reads.map((read) => shownGateRead(read, baseUrl)) } };
      }
      const page = { limit, order, before: decodePosition(cursor) };
      const { reads, next } = day.list(caller.siteId, dayFilter(filter), page);
      return {
        status: 200,
        body: { reads: reads.map((read) => shownGateRead(read, baseUrl)) },
        headers: next ? { Link: nextLink(request, encodeCursor([next.at, next.id])) } : {},
      };
    }),
    bind(readHours, ({ caller, query }) => {
      const { since, until, ...filter } = query;
      const range = { from: Date.parse(since), to: Date.parse(until) };
      const hours = day.hours(caller.siteId, range, dayFilter(filter));
      return { status: 200, body: { hours: hours.map((hour) => ({ ...hour, from: isoTime(hour.from) })) } };
    }),
    bind(countReads, ({ caller, query }) => ({
      status: 200,
      body: { count: day.sums(caller.siteId, dayFilter(query)) },
    })),
    bind(getPlateCrop, async ({ caller, params }) => ({
      status: 200,
      bytes: await crops.of(caller.siteId, params.id),
      contentType: "image/jpeg",
      headers: PICTURE_HEADERS,
    })),
    bind(getSmallPicture, async ({ caller, params }) => ({
      status: 200,
      bytes: await crops.small(caller.siteId, params.id),
      contentType: "image/jpeg",
      headers: PICTURE_HEADERS,
    })),
    bind(exportReads, ({ caller, query }) => ({
      status: 200,
      pieces: day.table(caller.siteId, dayFilter(query)),
      contentType: "text/csv; charset=utf-8",
      headers: attachment("gate.csv"),
    })),
    bind(exportPictures, ({ caller, query }) => ({
      status: 200,
      pieces: day.pictures(caller.siteId, dayFilter(query)),
      contentType: "application/zip",
      headers: attachment("gate-pictures.zip"),
    })),
    bind(diagnoseCamera, async ({ caller, params }) => {
      const { hours, advice, ...counts } = await doctor.diagnose(caller.siteId, params.id);
      return { status: 200, body: { diagnosis: { ...counts, hours: [...hours], advice: [...advice] } } };
    }),
    bind(getGateSetUp, ({ caller }) => ({ status: 200, body: day.setUp(caller.siteId) })),
    bind(listInside, ({ caller }) => {
      const { inside, leftUnseen } = day.inside(caller.siteId);
      return {
        status: 200,
        body: {
          inside: inside.map(({ since, mayHaveLeftFrom, ...one }) => ({
            ...one,
            since: isoTime(since ?? 0),
            mayHaveLeftFrom: isoTime(mayHaveLeftFrom),
          })),
          leftUnseen: leftUnseen.map(({ since, how: _how, ...one }) => ({ ...one, since: isoTimeOrNull(since) })),
        },
      };
    }),
  ];
}

/** A sighting in the shape of the console. */
function shownGateRead(view: GateReadView, baseUrl: string): GateRead {
  const { box, opens, passed, gateWasOpen, gateWasShut, gateOpenSince, asked, openedAfter, ...others } = view;
  const { listedNow, correction, ...read } = others;
  const known = {
    ...{ opens, passed, gateWasOpen, gateWasShut, listedNow, correction },
    gateOpenSince: isoTimeOrNull(gateOpenSince),
    asked: asked && { by: asked.by, at: isoTimeOrNull(asked.at), answeredAt: isoTimeOrNull(asked.answeredAt) },
    openedAfter: openedAfter && { ...openedAfter, at: isoTime(openedAfter.at) },
  };
  return { ...shownRead(read, baseUrl), box: box && [...box], ...known };
}

interface Filters extends Omit<DayFilter, "decisions" | "since" | "until"> {
  readonly decisions?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

function dayFilter({ q, decisions, deviceId, status, direction, since, until }: Filters): DayFilter {
  return {
    ...{ q, deviceId, status, direction },
    decisions: decisions?.split(",") as Decision[] | undefined, // the route's pattern allows no others
    since: since === undefined ? undefined : Date.parse(since),
    until: until === undefined ? undefined : Date.parse(until),
  };
}

function attachment(name: string): Record<string, string> {
  return { "Content-Disposition": `attachment; filename="${name}"`, "Cache-Control": "private, no-store" };
}
