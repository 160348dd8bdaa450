import type { Caller } from "../../../core/api/caller.ts";
import type { FactPosition } from "../../../core/api/fact-position.ts";
import { FACT_KINDS, mayHear } from "../../../core/api/fact-rights.ts";
import type { Facts, ShownFact } from "../../../core/api/facts.ts";
import { feedSight } from "../../../core/api/feed-kinds.ts";
import type { RouteSpec } from "../../../core/api/route.ts";
import type { Base } from "../../../core/base.ts";
import { type BoundRoute, bind, bindOpen, type EventSink } from "../../../core/http/exchange.ts";
import { buildOpenApi } from "../../../core/http/openapi.ts";
import type { Bus } from "../../../core/kernel/bus.ts";
import { isoTime } from "../../../core/kernel/clock.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import { whenAsked } from "../../../core/kernel/when-asked.ts";
import type { LogRing } from "../../../core/platform/log-ring.ts";
import type { SettingView } from "../../../core/settings/store.ts";
import type { AuditNote } from "../../access/routes/console-audit.ts";
import { AUTOMATION_DEFINITIONS } from "../../automations/resources/automation.ts";
import type { Feed } from "../../feed/feed.ts";
import {
  changeSettings,
  countUnread,
  getConsoleOpenApi,
  getHealth,
  listSettings,
  markFeedRead,
  offerTime,
  openStream,
} from "../api/console-system.ts";
import { isAtLeast } from "./console-logs.ts";
import type { Self } from "./health.ts";

/** What the console's pages of the hub itself work with. */
interface Uses {
  readonly base: Base;
  readonly hub: Self;
  readonly feed: Feed;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly log: LogRing;
  readonly note: AuditNote;
  readonly position: FactPosition;
}

/** Feed marks, settings, health, the stream of facts, the clock. */
export function systemRoutes(service: Uses): BoundRoute[] {
  return [...feedRoutes(service), ...settingRoutes(service), ...statusRoutes(service)];
}

function feedRoutes({ feed }: Uses): BoundRoute[] {
  const unread = (caller: Caller) => ({
    status: 200 as const,
    body: { unread: feed.unreadCount(caller.siteId, feedSight(caller)) },
  });
  return [
    bind(countUnread, ({ caller }) => unread(caller)),
    bind(markFeedRead, async ({ caller, body }) => {
      if (body.upToId === undefined && body.id === undefined)
        throw new Problem("invalid_body", { code: "refusal.feed.which" });
      if (body.upToId !== undefined) await feed.markAllRead(caller.siteId, body.upToId, feedSight(caller));
      if (body.id !== undefined) await feed.markRead(caller.siteId, body.id, body.read ?? true, feedSight(caller));
      return unread(caller);
    }),
  ];
}

function settingRoutes({ base: { store: settings }, note }: Uses): BoundRoute[] {
  return [
    bind(listSettings, () => ({ status: 200, body: { settings: settings.describe().map(shownSetting) } })),
    bind(changeSettings, async ({ caller, body }) => {
      settings.check(body.settings);
      const saved = new Map(settings.describe().map((view) => [view.key, view.saved]));
      const before = Object.fromEntries(Object.keys(body.settings).map((key) => [key, saved.get(key)]));
      await note(caller, "settings.changed", Object.keys(body.settings).join(", "), {
        settings: body.settings,
        before,
      });
      const restartFor = await settings.change(body.settings);
      return { status: 200, body: { settings: settings.describe().map(shownSetting), restartFor } };
    }),
  ];
}

function statusRoutes({ base, hub, startedAt, log, position }: Uses): BoundRoute[] {
  const { version, clock, bus, trust } = base;
  return [
    bind(getHealth, () => ({
      status: 200,
      body: { ...hub.health(), version, startedAt: isoTime(startedAt), now: isoTime(clock.now()) },
    })),
    bind(openStream, ({ caller, query }) => {
      const { logs } = query;
      if (logs === undefined)
        return {
          status: 200,
          stream: (sink) => {
            sink.send("stream.opened", { position: position.of(caller.siteId) });
            return follow(bus, caller, sink);
          },
        };
      if (caller.role !== "owner") throw new Problem("forbidden", { code: "forbidden.logForOwners" });
      return {
        status: 200,
        stream: (sink) => {
          sink.send("stream.opened", {});
          return log.follow((line) => void (isAtLeast(line, logs) && sink.send("log.line", line, String(line.id))));
        },
      };
    }),
    // a signed-in browser's time, for a hub without a trusted clock; whether it was taken
    bind(offerTime, async ({ body }) => ({
      status: 200,
      body: { done: await trust.confirm(Date.parse(body.now)) },
    })),
  ];
}

/** Sends one household's facts to a stream; returns what ends it. */
function follow(bus: Bus<Facts>, caller: Caller, sink: EventSink): () => void {
  const tell = <Kind extends keyof Facts>(kind: Kind) =>
    bus.on(
      kind,
      "console stream",
      (fact) => void (mayHear(caller, kind, fact) && sink.send(kind, shownFact<Kind>(fact))),
    );
  const stops = FACT_KINDS.map((kind) => tell(kind));
  return () => {
    for (const stop of stops) stop();
  };
}

/** A fact without its household and whom it is for, and with its moment in ISO form. */
function shownFact<Kind extends keyof Facts>({
  siteId: _own,
  recipients: _to,
  ...fact
}: Facts[Kind] & { readonly recipients?: unknown }): ShownFact<Kind> {
  const shown = "at" in fact && typeof fact.at === "number" ? { ...fact, at: isoTime(fact.at) } : fact;
  return shown as object as ShownFact<Kind>; // each member as its type declares
}

function shownSetting({
  key,
  group,
  kind,
  description,
  value,
  saved,
  default: byDefault,
  source,
  changeable,
  restart,
  env,
  minimum,
  maximum,
  choices,
}: SettingView) {
  return {
    key,
    group,
    kind,
    description,
    value,
    saved,
    default: byDefault,
    source,
    changeable,
    restart,
    env,
    minimum,
    maximum,
    choices,
  };
}

/**
 * `GET /api/openapi.json`: the description of the session-only API, made from the running routes at the first request.
 */
export function consoleReferenceRoute(specs: readonly RouteSpec[]): BoundRoute {
  const shown = [...specs, getConsoleOpenApi].filter((spec) => spec.access.kind !== "box");
  const document = whenAsked(async () =>
    Buffer.from(
      JSON.stringify(
        await buildOpenApi(shown, {
          title: "Gatehouse console API",
          version: "1.0.0",
          summary: "What the console does beside /v1.",
          description:
            "For a signed-in person's session only; API keys are refused here. It may change with any release of Gatehouse. Programs use /v1.",
          definitions: AUTOMATION_DEFINITIONS,
        }),
      ),
    ),
  );
  return bindOpen(getConsoleOpenApi, async () => ({ status: 200, bytes: await document() }));
}
