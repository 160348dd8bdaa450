import type { FunctionComponent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { isSiteAsked } from "../features/access/console/first-run.ts";
import { SignIn, SignInAgain } from "../features/access/console/sign-in.tsx";
import { OpeningQuestion } from "../features/gate/console/opening.tsx";
import { missed, signedOut } from "./api.ts";
import { TryAgain } from "./components/basics.tsx";
import { GateQuestions } from "./components/gate-questions.tsx";
import { Gone } from "./components/gone.tsx";
import { Icon } from "./components/icon.tsx";
import { LeaveQuestion } from "./components/leave-question.tsx";
import { Logo } from "./components/logo.tsx";
import { useMedia } from "./components/media.ts";
import { ProofAsk } from "./components/proof-ask.tsx";
import { isSearchKey } from "./components/search-field.tsx";
import { say, Toasts } from "./components/toast.tsx";
import { ZoneLine } from "./components/zone-line.tsx";
import { closeHelp, type HelpProps, openedHelp } from "./help/open-help.ts";
import { isElsewhere, loadFurther, type TextKey, t } from "./i18n/translate.ts";
import { startLive } from "./live.ts";
import { watchUnread } from "./notifications.ts";
import { later } from "./pages/later.tsx";
import { Pages, usePages } from "./pages/page.ts";
import { PAGES } from "./pages/pages.ts";
import { go, hasUnsaved, listenToLinks, match, path } from "./router.ts";
import { authStatus, isOwner, sessionEnded, visit, whoAmI } from "./session.ts";
import { hubAway, live, loadOnce, unread } from "./store.ts";

/** A hub is claimed once, and a person joins once. */
const Welcome = later(async () => {
  const { Welcome: View } = await import("../features/access/console/welcome.tsx");
  return () => <View />;
});
const Join = later(async () => {
  const { Join: View } = await import("../features/access/console/join.tsx");
  return () => <View />;
});

const Guest = later(async () => (await import("../features/gate/console/guest.tsx")).GuestPage);

/** The whole console: sign-in first, then the frame with the page of the current path. */
export function App() {
  useEffect(() => {
    listenToLinks();
  }, []);
  useEffect(() => {
    if (signedOut.value && authStatus.value === "signed-in") sessionEnded();
  }, [signedOut.value]);
  return (
    <>
      <Inside />
      <OpeningQuestion />
      <LeaveQuestion />
      <ProofAsk />
      {authStatus.value === "ended" && <SignInAgain />}
      <Toasts />
    </>
  );
}

function Inside() {
  if (path() === "/guest") return <Guest params={{}} />; // a guest with the link needs no account
  switch (authStatus.value) {
    case "unknown":
      return (
        <main class="page">
          <p aria-busy="true">{t("state.loading")}</p>
        </main>
      );
    case "unreachable":
      return (
        <main class="page">
          <TryAgain text={t("error.unreachable")} onTry={() => void whoAmI()} />
        </main>
      );
    case "unclaimed":
      return <Welcome params={{}} />;
    case "signed-out":
      return path() === "/join" ? <Join params={{}} /> : <SignIn />;
    default:
      if (isSiteAsked.value && authStatus.value === "signed-in" && isOwner.value) return <Welcome params={{}} />;
      return (
        <Pages.Provider value={PAGES}>
          <Frame key={visit.value} />
          <Help />
        </Pages.Provider>
      );
  }
}

function Frame() {
  const isHere = authStatus.value === "signed-in";
  useEffect(() => {
    if (!isHere) return;
    void loadOnce().catch(() => {});
    const stops = [startLive(), watchUnread()];
    return () => {
      for (const stop of stops) stop();
    };
  }, [isHere]);
  useSearchKey();
  const begun = useAgainWhenBack();
  const here = path();
  const pages = usePages();
  const found = pages.map((page) => ({ page, params: match(page.path, here) })).find(({ params }) => params !== null);
  return (
    <>
      <a class="skip" href="#main">
        {t("nav.skip")}
      </a>
      <Nav here={here} under={found?.page.under} />
      <div class="frame">
        <main id="main" class="page" data-away={hubAway.value}>
          <Away />
          <GateQuestions />
          {found ? (
            <found.page.view params={found.params ?? {}} key={`${here} ${begun}`} />
          ) : (
            <Gone text={t(reasonGone(here))} />
          )}
          {isElsewhere() && <ZoneLine />}
        </main>
      </div>
    </>
  );
}

/** A page without a field of its own has the search of Home behind the key. */
function useSearchKey(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || !isSearchKey(event) || document.querySelector(".search-field") !== null) return;
      event.preventDefault();
      go("/?q=");
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

/** Why a person does not see the page at a path: there is none, or it is for a higher role. */
function reasonGone(here: string): TextKey {
  const page = PAGES.find(({ path }) => match(path, here) !== null);
  if (page === undefined) return "error.noPage";
  return page.least === "gatekeeper" ? "error.gatekeepersPage" : "error.ownersPage";
}

/** The section of the manual that lies over the page; the manual and its code are loaded when it is first opened. */
function Help() {
  const opened = openedHelp.value;
  const [View, setView] = useState<FunctionComponent<HelpProps> | null>(null);
  useEffect(() => {
    if (opened === null || View !== null) return;
    Promise.all([import("./help/help-sheet.tsx"), loadFurther()]).then(
      ([{ HelpSheet }]) => setView(() => HelpSheet),
      () => {
        closeHelp();
        say(t("state.notLoaded"));
      },
    );
  }, [opened]);
  return opened === null || View === null ? null : <View key={opened.place} {...opened} />;
}

/** Says that the hub does not answer, over the page: nothing moves. */
function Away() {
  return (
    <div class="away-place" role="status">
      {hubAway.value && (
        <p class="away">
          <Icon name="wifiOff" /> {t("error.notLive")}
        </p>
      )}
    </div>
  );
}

/** Marks a page that is still loading, or could not load its data. */
const UNFINISHED = "main [aria-busy=true], main [data-failed]";

/** Counts restarts of the current page: the hub was unreachable, is back, and the page lacks data. */
function useAgainWhenBack(): number {
  const [times, setTimes] = useState(0);
  const wasAway = useRef(false);
  useEffect(() => {
    // keep typed input and open dialogs
    const isFree = !hasUnsaved() && document.querySelector("dialog[open]:not(.help-sheet)") === null;
    if (wasAway.current && live.value && isFree && (missed.value || document.querySelector(UNFINISHED) !== null)) {
      missed.value = false;
      setTimes(times + 1);
    }
    wasAway.current = !live.value;
  }, [live.value]);
  return times;
}

/** From here on the navigation stands beside the page, with room for more; layout.css has the same. */
const WIDE = "(min-width: 900px)";

function Nav({ here, under }: { readonly here: string; readonly under: string | undefined }) {
  const entries = usePages().flatMap(({ path, entry }) => (entry === undefined ? [] : [{ path, ...entry }]));
  const screen = useMedia(WIDE) ? "wide" : "narrow";
  const drawn = entries
    .flatMap(({ nav, ...entry }) =>
      nav !== undefined && nav.on !== (screen === "wide" ? "narrow" : "wide") ? [{ ...entry, ...nav }] : [],
    )
    .sort((a, b) => a.at - b.at);
  const isIn = ({ path }: { readonly path: string }): boolean => path !== "/" && here.startsWith(path);
  const isBehindMore = entries.some((entry) => entry.more !== undefined && isIn(entry));
  const current = drawn.find(isIn)?.path ?? (here === "/" ? here : (under ?? (isBehindMore ? "/more" : "")));
  return (
    <nav class="nav" aria-label={t("nav.main")}>
      <div class="brand">
        <Logo />
        Gatehouse
      </div>
      <ul>
        {drawn.map(({ path, icon, title }) => (
          <li key={path}>
            <a href={path} {...(path === current ? { "aria-current": "page" as const } : {})}>
              <Icon name={icon} />
              {t(title)}
              {path === "/notifications" && <Unread />}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** How many notifications are new. */
function Unread() {
  const n = unread.value;
  if (n === 0) return null;
  return (
    <>
      <span class="count" aria-hidden="true">
        {n === 99 ? "99+" : n}
      </span>
      <span class="sr-only">{t("nav.new", { n })}</span>
    </>
  );
}
