import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { TryAgain } from "../components/basics.tsx";
import { IconButton } from "../components/button.tsx";
import { SearchField } from "../components/search-field.tsx";
import { t } from "../i18n/translate.ts";
import { language } from "../preferences.ts";
import { layOver } from "../router.ts";
import { type HelpPlace, type Loaded, loadChapter, partsOf } from "./chapters.ts";
import { Manual } from "./manual.tsx";
import { ManualFound } from "./manual-search.tsx";
import { closeHelp, type HelpProps } from "./open-help.ts";
import { relatedTo } from "./sections.ts";
import "./help.css";

/** From this width on the page stays usable beside the sheet; below, the sheet covers it. */
const BESIDE = "(min-width: 900px)";

/** One section of the manual over the page, with what is related to it and a search in the whole manual. */
export function HelpSheet({ place, opener }: HelpProps) {
  const element = useRef<HTMLDialogElement>(null);
  const head = useRef<HTMLHeadingElement>(null);
  const titleId = useId();
  const [wanted, setWanted] = useState("");
  /** The sections that were followed, the one that is shown last. */
  const [places, setPlaces] = useState<readonly HelpPlace[]>([place]);
  const shown = places.at(-1) ?? place;
  const { chapter, isFailed, load } = useChapterOf(shown);
  const id = partsOf(shown)?.id;
  const section = chapter?.sections.find((one) => one.id === id);
  useShown(element);
  useLayoutEffect(() => {
    const leave = layOver(closeHelp);
    return () => {
      leave();
      const back = opener.isConnected ? opener : document.querySelector<HTMLElement>(".help-button");
      back?.focus({ preventScroll: true });
    };
  }, []);
  useEffect(() => {
    element.current?.scrollTo(0, 0);
    head.current?.blur(); // screen readers say a title that is focused anew
    head.current?.focus({ preventScroll: true });
  }, [section]);
  const go = (to: readonly HelpPlace[]): void => {
    setWanted("");
    setPlaces(to);
  };
  /** Links to sections stay in the sheet; those to whole chapters, and with a key held, are ordinary links. */
  const onClick = (event: MouseEvent): void => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || link.dataset.leaves !== undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const to = link.getAttribute("href") ?? "";
    const next = to.startsWith("#") ? `${shown.split("#")[0]}${to}` : to.replace(/^\/help\//, "");
    if (partsOf(next) === null) return;
    event.preventDefault();
    go([...places, next as HelpPlace]); // checked
  };
  return (
    <dialog
      class="help-sheet"
      ref={element}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        closeHelp();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        event.stopPropagation();
        closeHelp();
      }}
      onClick={onClick}
    >
      <div class="help-head">
        {places.length > 1 && (
          <IconButton icon="arrowLeft" label={t("help.back")} onClick={() => go(places.slice(0, -1))} />
        )}
        <SearchField label={t("help.search")} value={wanted} onInput={setWanted} hasKey={false} />
        <IconButton icon="x" label={t("help.close")} onClick={closeHelp} />
      </div>
      <ManualFound wanted={wanted} here={shown} />
      <div class="help-body" hidden={wanted.trim() !== ""}>
        <h2 id={titleId} ref={head} tabIndex={-1} lang={chapter?.language}>
          {section?.title ?? t("help.title")}
        </h2>
        {isFailed ? (
          <TryAgain text={t("state.notLoaded")} onTry={load} />
        ) : chapter === null ? (
          <p aria-busy="true">{t("state.loading")}</p>
        ) : (
          <>
            {chapter.language !== language.value && <p class="soft">{t("help.inEnglish")}</p>}
            <div lang={chapter.language}>
              <Manual text={section?.text ?? ""} />
            </div>
            <p>
              <a href={`/help/${shown}`} data-leaves="">
                {t("help.more")}
              </a>
            </p>
            {section !== undefined && (
              <nav class="help-related" aria-label={t("help.related")}>
                <h3>{t("help.related")}</h3>
                <ul lang={chapter.language}>
                  {relatedTo(section, chapter.sections).map((one) => (
                    <li key={one.id}>
                      <a href={`#${one.id}`}>{one.title}</a>
                    </li>
                  ))}
                </ul>
              </nav>
            )}
          </>
        )}
      </div>
    </dialog>
  );
}

/** The chapter of a section, in the language of the person. */
function useChapterOf(place: HelpPlace) {
  const name = partsOf(place)?.chapter ?? "using-gatehouse";
  const [loaded, setLoaded] = useState<{ readonly of: string; readonly chapter: Loaded } | null>(null);
  const [isFailed, setFailed] = useState(false);
  const of = `${name} ${language.value}`;
  const isWanted = useRef(of);
  isWanted.current = of;
  const load = (): void => {
    setFailed(false);
    loadChapter(name, language.value).then(
      (chapter) => isWanted.current === of && setLoaded({ of, chapter }),
      () => setFailed(true),
    );
  };
  useEffect(load, [of]);
  return { chapter: loaded?.of === of ? loaded.chapter : null, isFailed, load };
}

/** Shows the dialog: beside the page on a wide screen, over it on a narrow one; Escape closes it from anywhere. */
function useShown(element: { readonly current: HTMLDialogElement | null }): void {
  useLayoutEffect(() => {
    const query = matchMedia(BESIDE);
    const show = (): void => {
      element.current?.close();
      if (query.matches) element.current?.show();
      else element.current?.showModal();
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog:modal") !== null) return;
      closeHelp();
    };
    show();
    query.addEventListener("change", show);
    document.addEventListener("keydown", onKey);
    return () => {
      query.removeEventListener("change", show);
      document.removeEventListener("keydown", onKey);
      element.current?.close(); // a modal dialog lets nothing else have the focus
    };
  }, []);
}
