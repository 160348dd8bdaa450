import { setImmediate } from "node:timers/promises";
import type { FactPosition } from "../../../core/api/fact-position.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { etagOf } from "../../../core/http/middleware/conditional.ts";
import { getOverview, OVERVIEW } from "../api/console-overview.ts";

/** `GET /api/overview`, answered by the handlers of its operations; `routes` has them. */
export function overviewRoute(routes: readonly BoundRoute[], position: FactPosition): BoundRoute {
  const parts = Object.entries(OVERVIEW).map(([name, spec]) => {
    const route = routes.find((bound) => bound.spec.operationId === spec.operationId);
    if (route === undefined) throw new Error(`no handler of ${spec.operationId}`);
    return { name, handle: route.handle };
  });
  return bind(getOverview, async (request) => {
    const facts = Buffer.from(JSON.stringify(position.of(request.caller.siteId)));
    const pieces: Buffer[] = [Buffer.from('{"facts":'), facts];
    const tags = [etagOf(facts)];
    for (const { name, handle } of parts) {
      await setImmediate(); // devices and the gate are served between the reads
      const answer = await handle({ ...request, query: {} });
      const bytes = answer.bytes ?? Buffer.from(JSON.stringify(answer.body));
      pieces.push(Buffer.from(`,${JSON.stringify(name)}:`), bytes);
      tags.push(answer.etag ?? etagOf(bytes)); // that of a long list is known
    }
    pieces.push(Buffer.from("}"));
    return { status: 200, bytes: Buffer.concat(pieces), etag: etagOf(Buffer.from(tags.join())) };
  });
}
