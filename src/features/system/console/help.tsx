import { useEffect, useState } from "preact/hooks";
import { Card, Gone, PageHead, TryAgain } from "../../../console/components/basics.tsx";
import { localeName, t } from "../../../console/i18n/translate.ts";
import type { PageProps } from "../../../console/pages/page.ts";
import { CHAPTERS, type Chapter, isChapter } from "./help-chapters.ts";
import { Manual } from "./manual.tsx";
import "./help.css";

/** The chapters of the manual. */
export function HelpPage() {
  return (
    <>
      <PageHead title={t("help.title")} subtitle={t("help.text")} />
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
  return isChapter(name) ? <ChapterText key={name} chapter={name} /> : <Gone text={t("error.noPage")} />;
}

function ChapterText({ chapter }: { chapter: Chapter }) {
  const { title, load } = CHAPTERS[chapter];
  const [text, setText] = useState<string | null>(null);
  const [isFailed, setFailed] = useState(false);
  const fetch = (): void => {
    setFailed(false);
    load().then(
      (module) => setText(module.default),
      () => setFailed(true),
    );
  };
  useEffect(fetch, []);
  useEffect(() => {
    if (text !== null && location.hash !== "") document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [text]);
  return (
    <>
      <PageHead title={t(title)}>
        <a href="/help">{t("help.all")}</a>
      </PageHead>
      <Card>
        {localeName().startsWith("hi") && <p class="soft">{t("help.inEnglish")}</p>}
        {isFailed ? (
          <TryAgain text={t("state.notLoaded")} onTry={fetch} />
        ) : text === null ? (
          <p aria-busy="true">{t("state.loading")}</p>
        ) : (
          <div lang="en">
            <Manual text={text} />
          </div>
        )}
      </Card>
    </>
  );
}
