import { useEffect, useState } from "preact/hooks";
import { Card, Gone, PageHead, TryAgain } from "../../../console/components/basics.tsx";
import { SearchField } from "../../../console/components/search-field.tsx";
import { CHAPTERS, type Chapter, isChapter, type Loaded, loadChapter } from "../../../console/help/chapters.ts";
import { Manual } from "../../../console/help/manual.tsx";
import { ManualFound } from "../../../console/help/manual-search.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { PageProps } from "../../../console/pages/page.ts";
import { language } from "../../../console/preferences.ts";
import { fragment } from "../../../console/router.ts";

/** The chapters of the manual, and a search in all of them. */
export function HelpPage() {
  const [wanted, setWanted] = useState("");
  return (
    <>
      <PageHead title={t("help.title")} subtitle={t("help.text")} />
      <SearchField label={t("help.search")} value={wanted} onInput={setWanted} />
      <ManualFound wanted={wanted} />
      <Card>
        <ul class="list">
          {Object.entries(CHAPTERS).map(([name, { title }]) => (
            <li key={name}>
              <a href={`/help/${name}`}>{t(title)}</a>
            </li>
          ))}
        </ul>
      </Card>
    </>
  );
}

/** One chapter. */
export function ChapterPage({ params }: PageProps) {
  const name = params.chapter ?? "";
  return isChapter(name) ? (
    <ChapterText key={`${name} ${language.value}`} chapter={name} />
  ) : (
    <Gone text={t("error.noPage")} />
  );
}

function ChapterText({ chapter }: { chapter: Chapter }) {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [isFailed, setFailed] = useState(false);
  const fetch = (): void => {
    setFailed(false);
    loadChapter(chapter, language.value).then(setLoaded, () => setFailed(true));
  };
  useEffect(fetch, []);
  const at = fragment();
  useEffect(() => {
    if (loaded !== null && at !== "") document.getElementById(at.slice(1))?.scrollIntoView();
  }, [loaded, at]);
  return (
    <>
      <PageHead title={t(CHAPTERS[chapter].title)}>
        <a href="/help">{t("help.all")}</a>
      </PageHead>
      <Card>
        {loaded !== null && loaded.language !== language.value && <p class="soft">{t("help.inEnglish")}</p>}
        {isFailed ? (
          <TryAgain text={t("state.notLoaded")} onTry={fetch} />
        ) : loaded === null ? (
          <p aria-busy="true">{t("state.loading")}</p>
        ) : (
          <div lang={loaded.language}>
            <Manual text={loaded.text} />
          </div>
        )}
      </Card>
    </>
  );
}
