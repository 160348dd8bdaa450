import type { FunctionComponent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { TryAgain } from "../components/basics.tsx";
import { loadFurther, t } from "../i18n/translate.ts";
import { live } from "../store.ts";
import type { PageProps } from "./page.ts";

/**
 * A page whose code is loaded when it is first opened; most visits never need the editors. `isSilent`: a part of a page
 * that nobody waits for.
 */
export function later(
  load: () => Promise<FunctionComponent<PageProps>>,
  { isSilent = false }: { readonly isSilent?: boolean } = {},
): FunctionComponent<PageProps> {
  let known: FunctionComponent<PageProps> | null = null;
  function Later(props: PageProps) {
    const wasAway = useRef(!live.value);
    const [isLost, setLost] = useState(false);
    const [View, setView] = useState<FunctionComponent<PageProps> | null>(() => known);
    useEffect(() => {
      if (View !== null) return;
      void Promise.all([load(), loadFurther()])
        .then(([loaded]) => {
          known = loaded;
          setView(() => loaded);
        })
        .catch(() => setLost(true));
    }, []);
    useEffect(() => {
      // Once the hub is back: a browser may remember that a file of the page could not be loaded, so the whole page is
      // loaded again.
      if (isLost && !isSilent && live.value && wasAway.current) location.reload();
      wasAway.current ||= !live.value;
    }, [isLost, live.value]);
    if (isSilent && View === null) return null;
    if (isLost) return <TryAgain text={t("state.notLoaded")} onTry={() => location.reload()} />;
    return View === null ? <p aria-busy="true">{t("state.loading")}</p> : <View {...props} />;
  }
  loads.set(Later, () => void Promise.all([load(), loadFurther()]).catch(() => {})); // said when the page is opened
  return Later;
}

/** How the code of each page is loaded. */
const loads = new WeakMap<FunctionComponent<PageProps>, () => void>();

/** Loads the code of a page that somebody is about to open. */
export function loadAhead(page: FunctionComponent<PageProps> | undefined): void {
  if (page !== undefined) loads.get(page)?.();
}
