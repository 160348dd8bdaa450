import { useEffect, useState } from "preact/hooks";
import { t } from "../i18n/translate.ts";
import { Notice } from "./basics.tsx";
import { Dialog } from "./dialog.tsx";

/** A fast board is away for less than a second. */
const EVERY_MS = 500;
/** Longer than a hub takes to go down. */
const LONG_MS = 15_000;

/** Shown while the hub restarts; loads the page again when it answers. `byItself` false: a person has to start it. */
export function Restarting({ text, byItself }: { text: string; byItself: boolean }) {
  const [isDown, setDown] = useState(false);
  useEffect(() => {
    let timer = setTimeout(ask, EVERY_MS);
    let wasDown = false;
    let wasKnown = false;
    async function ask(): Promise<void> {
      try {
        const response = await fetch("/api/standing", { cache: "no-store" });
        const { account } = (await response.json()) as { account: object | null }; // its contract
        // It may still be shutting down: an answer counts only once the hub was unreachable or has lost this session,
        // or after a while.
        wasKnown ||= account !== null;
        if (response.ok && (wasDown || (wasKnown && account === null) || performance.now() - began > LONG_MS))
          return location.assign("/");
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
      {byItself ? (
        <p role="status">{isDown ? t("restart.waiting") : t("restart.going")}</p>
      ) : (
        <Notice tone="warn">{t("restart.byHand")}</Notice>
      )}
    </Dialog>
  );
}
