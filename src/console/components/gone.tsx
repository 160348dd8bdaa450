import { useState } from "preact/hooks";
import { t } from "../i18n/translate.ts";
import { useNearest } from "../pages/page.ts";
import { go, path } from "../router.ts";
import { PageHead } from "./basics.tsx";
import { SearchField } from "./search-field.tsx";

/**
 * The whole page when its address leads to nothing, or to something that does not exist (any more): which address that
 * was, the list that it belonged to, and a search of everything.
 */
export function Gone({ text }: { text: string }) {
  const nearest = useNearest();
  const [wanted, setWanted] = useState("");
  return (
    <>
      <PageHead title={text} />
      <p class="soft">
        {t("gone.address")} <code class="gone-address">{path()}</code>
      </p>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          go(`/?q=${encodeURIComponent(wanted.trim())}`);
        }}
      >
        <SearchField label={t("home.search")} value={wanted} onInput={setWanted} />
      </form>
      <div class="row">
        {nearest !== null && (
          <a class="button primary" href={nearest.path}>
            {t(nearest.title)}
          </a>
        )}
        <a class="button" href="/">
          {t("nav.home")}
        </a>
      </div>
    </>
  );
}
