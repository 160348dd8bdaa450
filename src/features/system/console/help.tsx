import { useEffect, useState } from "preact/hooks";
import { Card, PageHead, TryAgain } from "../../../console/components/basics.tsx";
import { Gone } from "../../../console/components/gone.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { SearchField } from "../../../console/components/search-field.tsx";
import {
  CHAPTER_NAMES,
  CHAPTERS,
  type Chapter,
  isChapter,
  isIn,
  type Loaded,
  loadChapter,
  ownersPlace,
} from "../../../console/help/chapters.ts";
import { Manual } from "../../../console/help/manual.tsx";
import { ManualFound } from "../../../console/help/manual-search.tsx";
import type { Section } from "../../../console/help/sections.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { PageProps } from "../../../console/pages/page.ts";
import { language } from "../../../console/preferences.ts";
import { fragment } from "../../../console/router.ts";

/** The chapter for the people of the house. */
const OWNERS: Chapter = "using-gatehouse";
/** Its part for when something does not work. */
const TROUBLE = "when-something-does-not-work";

/** What the manual answers: first when something does not work, then all that people do, then what installers read. */
export function HelpPage() {
  const [wanted, setWanted] = useState("");
  const { loaded, isFailed, load } = useChapter(OWNERS);
  const sections = loaded?.sections ?? [];
  const parts = sections.slice(1).filter(({ id, part }) => id === part);
  const inPart = (part: string): readonly Section[] => sections.filter((one) => one.part === part && one.id !== part);
  return (
    <>
      <PageHead title={t("help.title")} subtitle={t("help.text")} />
      <SearchField label={t("help.search")} value={wanted} onInput={setWanted} />
      <ManualFound wanted={wanted} />
      {isFailed && <TryAgain text={t("state.notLoaded")} onTry={load} />}
      {parts
        .filter(({ id }) => id === TROUBLE)
        .map(({ id, title }) => (
          <Card key={id} title={title}>
            <SectionLinks sections={inPart(id)} />
          </Card>
        ))}
      <Card title={t("help.using")} action={<a href={`/help/${OWNERS}`}>{t("help.whole")}</a>}>
        <div>
          {parts
            .filter(({ id }) => id !== TROUBLE)
            .map((part) => (
              <details key={part.id} class="group">
                <summary>{part.title}</summary>
                <SectionLinks sections={[...(part.text === "" ? [] : [part]), ...inPart(part.id)]} />
              </details>
            ))}
        </div>
      </Card>
      <Card title={t("help.installers")}>
        <ul class="rows in-card">
          {CHAPTER_NAMES.filter((name) => name !== OWNERS).map((name) => (
            <li key={name}>
              <a href={`/help/${name}`}>
                <span class="row-title">{t(CHAPTERS[name].title)}</span>
                {!isIn(name, language.value) && <span class="row-state">{t("help.english")}</span>}
                <Icon name="chevronRight" small />
              </a>
            </li>
          ))}
        </ul>
      </Card>
    </>
  );
}

function SectionLinks({ sections }: { sections: readonly Section[] }) {
  return (
    <ul class="rows in-card">
      {sections.map(({ id, title }) => (
        <li key={id}>
          <a href={`/help/${OWNERS}#${id}`}>
            <span class="row-title">{title}</span>
            <Icon name="chevronRight" small />
          </a>
        </li>
      ))}
    </ul>
  );
}

/** A chapter in the language of the person, once it is loaded. */
function useChapter(chapter: Chapter) {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [isFailed, setFailed] = useState(false);
  const load = (): void => {
    setFailed(false);
    loadChapter(chapter, language.value).then(setLoaded, () => setFailed(true));
  };
  useEffect(load, [chapter, language.value]);
  return { loaded, isFailed, load };
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
  const { loaded, isFailed, load } = useChapter(chapter);
  const owners = ownersPlace(chapter);
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
        {loaded !== null && loaded.language !== language.value && (
          <div class="soft">
            <p>{t("help.inEnglish")}</p>
            {owners !== null && (
              <p>
                <a href={`/help/${owners}`}>{t("help.sameForOwners")}</a>
              </p>
            )}
          </div>
        )}
        {isFailed ? (
          <TryAgain text={t("state.notLoaded")} onTry={load} />
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
