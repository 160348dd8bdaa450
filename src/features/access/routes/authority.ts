import { type BoundRoute, bindOpen, type RouteResponse } from "../../../core/http/exchange.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import { getAuthorityFile, getAuthorityPage, getDeviceAuthorityFile } from "../api/authority.ts";
import { trustPage } from "./trust-page.ts";

/** The hub's services for the page on trust. */
export interface TrustService {
  /** The hub's own authority, PEM; null with the owner's own certificate, which browsers trust by themselves. */
  readonly authority: { readonly cert: string; readonly deviceCert: string; readonly fingerprint: string } | null;
  readonly httpsPort: number;
  readonly httpPort: number;
  /** Name on the network; null while the hub announces none. */
  readonly name: string | null;
  /** Whether the hub has no owner yet, and plain http is open. */
  readonly offersClear: boolean;
}

/** `/ca`, `/ca.crt` and `/ca-devices.crt`: trusting the hub once, on phones, computers and devices of the household. */
export function authorityRoutes(service: () => TrustService): BoundRoute[] {
  return [
    bindOpen(getAuthorityFile, () => file(own(service()).cert, "gatehouse-ca.crt")),
    bindOpen(getDeviceAuthorityFile, () => file(own(service()).deviceCert, "gatehouse-ca-devices.crt")),
    bindOpen(getAuthorityPage, async ({ baseUrl, query, facts }) => {
      const about = service();
      const { fingerprint } = own(about);
      const { httpsPort, httpPort, name, offersClear } = about;
      const wished = query.lang ?? (/^hi\b/i.test(facts.headers["accept-language"] ?? "") ? "hi" : "en");
      const namedUrl = name === null ? null : `http://${name}${httpPort === 80 ? "" : `:${httpPort}`}`;
      const page = await trustPage({
        language: wished,
        baseUrl,
        httpsPort,
        fingerprint,
        namedUrl,
        offersClear: offersClear && !facts.secure,
      });
      return {
        status: 200,
        bytes: page.html,
        contentType: "text/html; charset=utf-8",
        headers: { "Content-Security-Policy": page.contentSecurityPolicy, Vary: "Accept-Language" },
      };
    }),
  ];
}

function own({ authority }: TrustService): NonNullable<TrustService["authority"]> {
  if (authority === null)
    throw new Problem("not_found", "This hub has a certificate of its owner's, and no authority of its own.");
  return authority;
}

function file(pem: string, name: string): RouteResponse<200, never> {
  return {
    status: 200,
    bytes: Buffer.from(pem),
    contentType: "application/x-x509-ca-cert",
    headers: { "Content-Disposition": `attachment; filename="${name}"` },
  };
}
