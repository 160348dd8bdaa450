import { useEffect, useState } from "preact/hooks";
import { get } from "../api.js";
import { t } from "../i18n/translate.js";
import { language } from "../preferences.js";
import { Notice } from "./basics.js";

/**
 * Where an encrypted connection to this hub begins: its page about trust, or, with a certificate of the owner's, https
 * itself. Null where the hub has none, and where nothing is to be gained: over https already, or on the box itself
 * (both are secure contexts).
 */
export async function wayToHttps(): Promise<string | null> {
  if (window.isSecureContext) return null;
  const { httpsPort } = await get("/api/claim");
  if (httpsPort === null) return null;
  const hasTrustPage = (await fetch("/ca", { method: "HEAD" })).ok;
  return hasTrustPage ? `/ca?lang=${language.value}` : `https://${location.hostname}:${httpsPort}/`;
}

/** Over a form with a password: that others can read it on this connection, and the way to one where they cannot. */
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
