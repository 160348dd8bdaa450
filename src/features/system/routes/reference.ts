import type { RouteSpec } from "../../../core/api/route.ts";
import { docsPage } from "../../../core/http/docs-page.ts";
import { type BoundRoute, bindOpen } from "../../../core/http/exchange.ts";
import { etagOf } from "../../../core/http/middleware/conditional.ts";
import { buildOpenApi } from "../../../core/http/openapi.ts";
import { whenAsked } from "../../../core/kernel/when-asked.ts";
import { getDocs, getOpenApi } from "../../access/api/account.ts";
import { V1_INFO } from "../v1-info.ts";

/**
 * The OpenAPI file and the reference page of /v1, made from the running routes at the first request: most hubs never
 * get one, and each start would wait for it.
 */
export function referenceRoutes(specs: readonly RouteSpec[]): BoundRoute[] {
  const made = whenAsked(async () => {
    const all = [...specs, getOpenApi, getDocs];
    const document = await buildOpenApi(all, V1_INFO);
    const bytes = Buffer.from(JSON.stringify(document));
    const page = docsPage(all, V1_INFO, document);
    return { bytes, etag: etagOf(bytes), page, pageTag: etagOf(page.html) };
  });
  return [
    bindOpen(getOpenApi, async () => {
      const { bytes, etag } = await made();
      return { status: 200, bytes, etag };
    }),
    bindOpen(getDocs, async () => {
      const { page, pageTag } = await made();
      return {
        status: 200,
        bytes: page.html,
        etag: pageTag,
        contentType: "text/html; charset=utf-8",
        headers: { "Content-Security-Policy": page.contentSecurityPolicy },
      };
    }),
  ];
}
