import { Button } from "../../../console/components/button.tsx";
import { ago, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";

/** Where a person is signed in. */
export type Session = AnswerTo<"GET", "/api/sessions">["sessions"][number];

/** Browsers whose common names differ from those in their user agent. */
const BROWSERS: Readonly<Record<string, string>> = { Edg: "Edge", Version: "Safari" };

/** Sessions, each with a button to end it; this page's own is ended by signing out. */
export function SessionList({ sessions, onEnd }: { sessions: readonly Session[]; onEnd: (session: Session) => void }) {
  return (
    <ul class="list">
      {sessions.map((session) => (
        <li key={session.id}>
          <div class="grow">
            <p class="ellipsis">{browserOf(session.userAgent)}</p>
            <p class="soft small">
              {session.address} · {session.current ? t("account.thisOne") : ago(session.lastUsedAt)}
            </p>
          </div>
          {!session.current && <Button look="plain" text={t("account.end")} onClick={() => onEnd(session)} />}
        </li>
      ))}
    </ul>
  );
}

function browserOf(userAgent: string): string {
  const [, name, version] = /(Firefox|Edg|Chrome|Version)\/(\d+)/.exec(userAgent) ?? [];
  if (name === undefined || version === undefined) return userAgent === "" ? t("account.unknownBrowser") : userAgent;
  const system = /Android|iPhone|iPad|Windows|Mac OS X|Linux/.exec(userAgent)?.[0] ?? "";
  return [BROWSERS[name] ?? name, version, ...(system === "" ? [] : ["·", system.replace("Mac OS X", "macOS")])].join(
    " ",
  );
}
