import type { RouteSpec } from "../../contract/route.js";
import { getDocs, getOpenApi } from "../../contract/routes/account.js";
import { docsPage } from "../docs-page.js";
import { type BoundRoute, bindOpen } from "../exchange.js";
import { etagOf } from "../middleware/conditional.js";
import { buildOpenApi } from "../openapi.js";
import { V1_INFO } from "../v1-info.js";

/** The OpenAPI file and the reference page of /v1, made once from the routes that run. */
export function referenceRoutes(specs: readonly RouteSpec[]): BoundRoute[] {
  const all = [...specs, getOpenApi, getDocs];
  const document = Buffer.from(JSON.stringify(buildOpenApi(all, V1_INFO)));
  const page = docsPage(all, V1_INFO);
  const documentTag = etagOf(document);
  const pageTag = etagOf(page.html);
  return [
    bindOpen(getOpenApi, () => ({ status: 200, bytes: document, etag: documentTag })),
    bindOpen(getDocs, () => ({
      status: 200,
      bytes: page.html,
      etag: pageTag,
      contentType: "text/html; charset=utf-8",
      headers: { "Content-Security-Policy": page.contentSecurityPolicy },
    })),
  ];
}
