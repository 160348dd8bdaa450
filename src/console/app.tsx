import { useEffect, useRef, useState } from "preact/hooks";
import { Join } from "../features/access/console/join.tsx";
import { SignIn, SignInAgain } from "../features/access/console/sign-in.tsx";
import { Welcome } from "../features/access/console/welcome.tsx";
import { OpeningQuestion } from "../features/gate/console/opening.tsx";
import { missed, reachable, signedOut } from "./api.ts";
import { Gone, Notice, TryAgain } from "./components/basics.tsx";
import { GateQuestions } from "./components/gate-questions.tsx";
import { Icon, type IconName } from "./components/icon.tsx";
import { LeaveQuestion } from "./components/leave-question.tsx";
import { Logo } from "./components/logo.tsx";
import { ProofAsk } from "./components/proof-ask.tsx";
import { Toasts } from "./components/toast.tsx";
import { isElsewhere, type TextKey, t } from "./i18n/translate.ts";
import { startLive } from "./live.ts";
import { watchUnread } from "./notifications.ts";
import { later } from "./pages/later.tsx";
import { PAGES } from "./pages/pages.ts";
import { hasUnsaved, listenToLinks, match, path } from "./router.ts";
import { authStatus, isOwner, sessionEnded, visit, whoAmI } from "./session.ts";
import { live, loadAll, unread } from "./store.ts";

interface NavItem {
  readonly to: string;
  readonly icon: IconName;
  readonly label: TextKey;
  readonly place: "both" | "wide" | "narrow";
  /** Hidden from members of the household. */
  readonly ownersOnly?: boolean;
}

const NAV: readonly NavItem[] = [
  { to: "/", icon: "house", label: "nav.home", place: "both" },
  { to: "/gate", icon: "fence", label: "nav.gate", place: "both" },
  { to: "/automations", icon: "wand", label: "nav.automations", place: "both", ownersOnly: true },
  { to: "/notifications", icon: "bell", label: "nav.notifications", place: "both" },
  { to: "/activity", icon: "activity", label: "nav.activity", place: "wide" },
  { to: "/energy", icon: "zap", label: "energy.title", place: "wide" },
  { to: "/history", icon: "gauge", label: "device.history", place: "wide" },
  { to: "/scenes", icon: "clapperboard", label: "nav.scenes", place: "wide" },
  { to: "/developer", icon: "code", label: "nav.developer", place: "wide", ownersOnly: true },
  { to: "/system", icon: "settings", label: "nav.system", place: "wide" },
  { to: "/more", icon: "more", label: "nav.more", place: "narrow" },
];

/** Pages that a phone reaches through the last tab. */
const IN_MORE = /^\/(more|activity|energy|history|scenes|developer|pair|system)/;

const ZoneLine = later(async () => (await import("./components/zone-line.tsx")).ZoneLine, { isSilent: true });

const Guest = later(async () => (await import("../features/gate/console/guest.tsx")).GuestPage);

/** The whole console: sign-in first, then the frame with the page of the current path. */
export function App() {
  useEffect(() => {
    listenToLinks();
    void whoAmI();
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
      return <main class="page" aria-busy="true" />;
    case "unreachable":
      return (
        <main class="page">
          <TryAgain text={t("error.unreachable")} onTry={() => void whoAmI()} />
        </main>
      );
    case "unclaimed":
      return <Welcome />;
    case "signed-out":
      return path() === "/join" ? <Join /> : <SignIn />;
    default:
      return <Frame key={visit.value} />;
  }
}

function Frame() {
  const isHere = authStatus.value === "signed-in";
  useEffect(() => {
    if (!isHere) return;
    void loadAll().catch(() => {});
    const stops = [startLive(), watchUnread()];
    return () => {
      for (const stop of stops) stop();
    };
  }, [isHere]);
  const begun = useAgainWhenBack();
  const here = path();
  const found = PAGES.filter((page) => isOwner.value || page.members === true)
    .map((page) => ({ page, params: match(page.pattern, here) }))
    .find(({ params }) => params !== null);
  return (
    <>
      <a class="skip" href="#main">
        {t("nav.skip")}
      </a>
      <Nav here={here} />
      <div class="frame">
        <main id="main" class="page">
          {(!reachable.value || !live.value) && <Notice tone="warn">{t("error.notLive")}</Notice>}
          <GateQuestions />
          {found ? (
            <found.page.view params={found.params ?? {}} key={`${here} ${begun}`} />
          ) : (
            <Gone text={t("error.noPage")} />
          )}
          {isElsewhere() && <ZoneLine params={{}} />}
        </main>
      </div>
    </>
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
    const isFree = !hasUnsaved() && document.querySelector("dialog[open]") === null;
    if (wasAway.current && live.value && isFree && (missed.value || document.querySelector(UNFINISHED) !== null)) {
      missed.value = false;
      setTimes(times + 1);
    }
    wasAway.current = !live.value;
  }, [live.value]);
  return times;
}

function Nav({ here }: { here: string }) {
  const isHere = (to: string): boolean => {
    if (to === "/") return here === "/" || /^\/(devices|rooms)\//.test(here);
    return to === "/more" ? IN_MORE.test(here) : here.startsWith(to);
  };
  return (
    <nav class="nav" aria-label={t("nav.main")}>
      <div class="brand">
        <Logo />
        Gatehouse
      </div>
      <ul>
        {NAV.filter((item) => isOwner.value || item.ownersOnly !== true).map((item) => (
          <li key={item.to} class={item.place === "both" ? "" : item.place}>
            <a href={item.to} {...(isHere(item.to) ? { "aria-current": "page" as const } : {})}>
              <Icon name={item.icon} />
              {t(item.label)}
              {item.to === "/notifications" && <Unread />}
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
