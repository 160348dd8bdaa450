import { ago, t } from "../i18n/translate.js";

/** Where a person is signed in. */
export interface Session {
  readonly id: number;
  readonly current: boolean;
  readonly lastUsedAt: string;
  readonly address: string;
  readonly userAgent: string;
}

/** Sessions, each with the way to end it; the one of this page is ended by signing out. */
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
          {!session.current && (
            <button type="button" class="button plain" onClick={() => onEnd(session)}>
              {t("account.end")}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function browserOf(userAgent: string): string {
  return /(Firefox|Edg|Chrome|Safari)\/[\d.]+/.exec(userAgent)?.[0] ?? (userAgent === "" ? t("account.unknownBrowser") : userAgent);
}
