import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { sayError } from "../components/toast.js";
import { t } from "../i18n/translate.js";
import type { PageProps } from "./pages.js";

/** A page whose code is loaded when it is first opened; most visits never need the editors. */
export function later(load: () => Promise<FunctionComponent<PageProps>>): FunctionComponent<PageProps> {
  let known: FunctionComponent<PageProps> | null = null;
  return function Later(props) {
    const [View, setView] = useState<FunctionComponent<PageProps> | null>(() => known);
    useEffect(() => {
      if (View !== null) return;
      void load()
        .then((loaded) => {
          known = loaded;
          setView(() => loaded);
        })
        .catch(sayError);
    }, []);
    return View === null ? <p aria-busy="true">{t("state.loading")}</p> : <View {...props} />;
  };
}
