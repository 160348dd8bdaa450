import { useEffect, useState } from "preact/hooks";
import type { Language } from "../../core/text/render.ts";
import { t } from "../i18n/translate.ts";
import { language } from "../preferences.ts";
import { CHAPTER_NAMES, CHAPTERS, type Chapter, type HelpPlace, loadChapter, partsOf } from "./chapters.ts";
import { type Found, firstSentence, marked, type Section, searchSections } from "./sections.ts";
import "./help.css";

/** The chapter for everybody; results from the others name theirs. */
const FIRST: Chapter = "using-gatehouse";

interface Placed extends Section {
  readonly chapter: Chapter;
  readonly language: Language;
}

/** What a section of the chapter for everybody counts for more than one for installers. */
const BONUS = 6;
/** What the section about the page that one comes from counts for more, and what those of its part do. */
const BONUS_HERE = 4;
const BONUS_NEAR = 2;

/** What a section counts for more than others for somebody who has opened the manual at `here`. */
function bonusAt(here: HelpPlace | null, all: readonly Placed[]): (section: Placed) => number {
  const at = here === null ? null : partsOf(here);
  const own = all.find(({ chapter, id }) => chapter === at?.chapter && id === at.id);
  return (section) =>
    (section.chapter === FIRST ? BONUS : 0) +
    (section === own ? BONUS_HERE : section.chapter === own?.chapter && section.part === own.part ? BONUS_NEAR : 0);
}

/** Every section of the manual, loaded once for each language. */
const known = new Map<Language, Promise<readonly Placed[]>>();

function sectionsIn(wanted: Language): Promise<readonly Placed[]> {
  const before = known.get(wanted);
  if (before !== undefined) return before;
  const coming = Promise.all(
    CHAPTER_NAMES.map(async (chapter) => {
      const { sections, language } = await loadChapter(chapter, wanted);
      return sections.map((section) => ({ ...section, chapter, language }));
    }),
  ).then((all) => all.flat());
  known.set(wanted, coming);
  coming.catch(() => known.delete(wanted));
  return coming;
}

/** Searches in one language; where its words are English ones and nothing has them, by way of the English sections. */
async function findIn(wanted: Language, text: string, here: HelpPlace | null): Promise<readonly Found<Placed>[]> {
  const sections = await sectionsIn(wanted);
  const search = (all: readonly Placed[]) => searchSections(all, text, bonusAt(here, all));
  const found = search(sections);
  if (wanted === "en" || found.some(({ section }) => section.language === wanted)) return found;
  const byEnglish = search((await sectionsIn("en")).filter(({ chapter }) => chapter === FIRST)).flatMap(
    ({ section }) => {
      const same = sections.find(({ chapter, id }) => chapter === FIRST && id === section.id);
      return same === undefined ? [] : [{ section: same, sentence: firstSentence(same) }];
    },
  );
  return [...byEnglish, ...found];
}

/**
 * What a search in the whole manual found, as links to the sections, those about the page that one comes from (`here`)
 * before others that fit as well; nothing while there is nothing to look for.
 */
export function ManualFound({ wanted, here = null }: { wanted: string; here?: HelpPlace | null }) {
  const [found, setFound] = useState<readonly Found<Placed>[] | null>(null);
  const [isFailed, setFailed] = useState(false);
  const isAsked = wanted.trim() !== "";
  useEffect(() => {
    if (!isAsked) return setFound(null);
    let isOld = false;
    setFailed(false);
    findIn(language.value, wanted, here).then(
      (sections) => isOld || setFound(sections),
      () => isOld || setFailed(true),
    );
    return () => {
      isOld = true;
    };
  }, [wanted, here, language.value]);
  return (
    <>
      <p class="sr-only" role="status">
        {found !== null && isAsked ? t("help.found", { n: found.length }) : ""}
      </p>
      {isAsked && (
        <div class="manual-found">
          {isFailed ? (
            <p>{t("state.notLoaded")}</p>
          ) : found === null ? (
            <p aria-busy="true">{t("state.loading")}</p>
          ) : found.length === 0 ? (
            <p>{t("help.noneFound")}</p>
          ) : (
            <ul>
              {found.map(({ section, sentence }) => (
                <li key={`${section.chapter}#${section.id}`} lang={section.language}>
                  <a href={`/help/${section.chapter}#${section.id}`}>
                    <strong>
                      <Marked text={section.title} wanted={wanted} />
                    </strong>
                    {section.chapter !== FIRST && (
                      <span class="soft small" lang={language.value}>
                        {t(CHAPTERS[section.chapter].title)}
                      </span>
                    )}
                    <span>
                      <Marked text={sentence} wanted={wanted} />
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </>
  );
}

function Marked({ text, wanted }: { text: string; wanted: string }) {
  return <>{marked(text, wanted).map(({ text: part, isHit }) => (isHit ? <mark>{part}</mark> : part))}</>;
}
