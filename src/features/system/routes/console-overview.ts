import { setImmediate } from "node:timers/promises";
import type { FactPosition } from "../../../core/api/fact-position.ts";
import type { Json, Value } from "../../../core/api/route.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { getOverview, OVERVIEW } from "../api/console-overview.ts";

type Overview = Json<Value<(typeof getOverview.responses)[200]["schema"]>>;

/** `GET /api/overview`, answered by the handlers of its operations; `routes` has them. */
export function overviewRoute(routes: readonly BoundRoute[], position: FactPosition): BoundRoute {
  const parts = Object.entries(OVERVIEW).map(([name, spec]) => {
    const route = routes.find((bound) => bound.spec.operationId === spec.operationId);
    if (route === undefined) throw new Error(`no handler of ${spec.operationId}`);
    return { name, handle: route.handle };
  });
  return bind(getOverview, async (request) => {
    const body: Record<string, unknown> = { facts: position.of(request.caller.siteId) };
    for (const { name, handle } of parts) {
      await setImmediate(); // devices and the gate are served between the reads
      body[name] = (await handle({ ...request, query: {} })).body;
    }
    return { status: 200, body: body as Overview }; // each part is what its own route answers
  });
}
