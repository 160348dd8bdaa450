import { useEffect, useState } from "preact/hooks";
import { get, remove } from "../../../console/api.ts";
import { Button } from "../../../console/components/button.tsx";
import { Dialog } from "../../../console/components/dialog.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { Person } from "./persons.tsx";
import { type Session, SessionList } from "./session-list.tsx";

/** Where a person is signed in, and the way to end it. */
export function PersonSessions({ person, onClose }: { person: Person; onClose: () => void }) {
  const [sessions, setSessions] = useState<readonly Session[] | null>(null);
  const load = (): void => {
    void get("/api/persons/{id}/sessions", { params: { id: person.id } })
      .then((answer) => setSessions(answer.sessions))
      .catch(sayError);
  };
  useEffect(load, [person.id]);
  return (
    <Dialog title={t("persons.sessionsTitle", { name: person.name })} onClose={onClose}>
      {sessions?.length === 0 && <p class="soft">{t("persons.notSignedIn")}</p>}
      <SessionList
        sessions={sessions ?? []}
        onEnd={(session) =>
          void remove("/api/persons/{id}/sessions/{sessionId}", {
            params: { id: person.id, sessionId: session.id },
          }).then(load, sayError)
        }
      />
      <div class="actions">
        <Button look="primary" text={t("action.done")} onClick={onClose} />
      </div>
    </Dialog>
  );
}
