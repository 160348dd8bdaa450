import { useEffect, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Notice } from "../../../console/components/basics.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { language } from "../../../console/preferences.ts";

/**
 * Where an encrypted connection to this hub starts: its page about trust or, with the owner's own certificate, https
 * itself. Null if the hub has neither, or if it is not needed: over https already, or on the host itself (both are
 * secure contexts).
 */
export async function wayToHttps(): Promise<string | null> {
  if (window.isSecureContext) return null;
  const { httpsPort } = await get("/api/claim");
  if (httpsPort === null) return null;
  const hasTrustPage = (await fetch("/ca", { method: "HEAD" })).ok;
  return hasTrustPage ? `/ca?lang=${language.value}` : `https://${location.hostname}:${httpsPort}/`;
}

/**
 * Shown above a form with a password: warns that others can read it on this connection, and leads to one where they
 * cannot.
 */
export function ClearNotice() {
  const [way, setWay] = useState<string | null>(null);
  useEffect(() => void wayToHttps().then(setWay, () => {}), []);
  if (way === null) return null;
  return (
    <Notice tone="warn">
      {t("welcome.inClear")} <a href={way}>{t("network.lock")}</a>
    </Notice>
  );
}
