import { useEffect, useState } from "preact/hooks";
import { t } from "../i18n/translate.js";
import { Notice } from "./basics.js";
import { Dialog } from "./dialog.js";

/** The hub needs a moment before it goes down. */
const FIRST_MS = 3_000;
const EVERY_MS = 2_000;

/** Stands while the hub restarts, and opens the page anew when it answers. `byItself` false: somebody has to start it. */
export function Restarting({ text, byItself }: { text: string; byItself: boolean }) {
  const [isDown, setDown] = useState(false);
  useEffect(() => {
    let timer = setTimeout(ask, FIRST_MS);
    let wasDown = false;
    async function ask(): Promise<void> {
      try {
        const response = await fetch("/api/standing", { cache: "no-store" });
        // It may still be on its way down: an answer counts once it was away, or after a while.
        if (response.ok && (wasDown || performance.now() - began > 15_000)) return location.assign("/");
      } catch {
        wasDown = true;
        setDown(true);
      }
      timer = setTimeout(ask, EVERY_MS);
    }
    const began = performance.now();
    return () => clearTimeout(timer);
  }, []);
  return (
    <Dialog title={t("restart.title")} onClose={() => {}}>
      <p>{text}</p>
      {byItself ? <p aria-busy="true">{isDown ? t("restart.waiting") : t("restart.going")}</p> : <Notice tone="warn">{t("restart.byHand")}</Notice>}
    </Dialog>
  );
}
