import { useEffect, useState } from "preact/hooks";
import { get } from "../api.ts";
import { t } from "../i18n/translate.ts";

/**
 * Says above a link for somebody else's phone that the phone warns of the hub's own certificate, and where it learns to
 * trust it; nothing where it does not warn.
 */
export function TrustLine({ origin }: { origin: string }) {
  const [page, setPage] = useState<string | null>(null);
  useEffect(() => void trustPage(origin).then(setPage, () => {}), [origin]);
  if (page === null) return null;
  return (
    <p class="soft small">
      {t("trust.firstWarns")}{" "}
      <a href={page} target="_blank" rel="noreferrer">
        {page}
      </a>
    </p>
  );
}

/**
 * The page about the hub's own authority, over plain http; null where the address needs no such trust: it is not
 * encrypted, or its certificate is not of that authority.
 */
export async function trustPage(origin: string): Promise<string | null> {
  const { protocol, hostname, port } = new URL(origin);
  if (protocol !== "https:") return null;
  const { httpPort, httpsPort } = await get("/api/claim");
  if (httpPort === null || httpsPort !== Number(port || 443)) return null; // something before the hub has the certificate
  if (!(await fetch("/ca", { method: "HEAD" })).ok) return null; // the owner's own certificate
  return `http://${hostname}${httpPort === 80 ? "" : `:${httpPort}`}/ca`;
}
