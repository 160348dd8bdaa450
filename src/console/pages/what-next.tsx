/** What is worth doing once the gate opens: ticked as it is done, put away with one tap, and never asked again then. */
import { useEffect, useState } from "preact/hooks";
import { showNext } from "../../features/gate/console/next-wanted.ts";
import { get } from "../api.ts";
import { Button } from "../components/button.tsx";
import { Icon, type IconName } from "../components/icon.tsx";
import { type TextKey, t } from "../i18n/translate.ts";
import { deviceList } from "../store.ts";
import "../../features/gate/console/set-up.css";

/** One suggestion, and where it is done. */
interface Suggestion {
  readonly key: "person" | "messages" | "passphrase" | "devices" | "place";
  readonly icon: IconName;
  readonly to: string;
  readonly isDone: boolean;
}

/** What the hub knows of each; a suggestion is done when the house has it, no matter who did it. */
async function load(): Promise<readonly Suggestion[]> {
  const [people, { preferences }, backups, { site }] = await Promise.all([
    get("/api/persons"),
    get("/api/notifications/preferences"),
    get("/api/backups"),
    get("/api/site"),
  ]);
  const { push, ntfy } = preferences;
  const others = deviceList.value.filter(({ type, capabilities }) => type !== "camera" && !capabilities?.barrier);
  return [
    {
      ...{ key: "person", icon: "users", to: "/system/persons" },
      isDone: people.persons.length > 1 || people.invitations.length > 0,
    },
    {
      ...{ key: "messages", icon: "bell", to: "/notifications/settings" },
      isDone: push.subscriptions.length > 0 || ntfy.topic !== null,
    },
    { ...{ key: "passphrase", icon: "shield", to: "/system/backups" }, isDone: backups.hasPassphrase },
    { ...{ key: "devices", icon: "plug", to: "/system/devices?add" }, isDone: others.length > 0 },
    { ...{ key: "place", icon: "sunset", to: "/system/site" }, isDone: site.latitude !== null },
  ];
}

/** The suggestions; nothing until it is known which are done, nor once all are. */
export function WhatNext() {
  const [known, setKnown] = useState<readonly Suggestion[] | null>(null);
  useEffect(() => {
    void load()
      .then((all) => (all.every(({ isDone }) => isDone) ? showNext("over") : setKnown(all)))
      .catch(() => {}); // a part of the page that nobody waits for
  }, [deviceList.value.length]);
  if (known === null) return null;
  const done = known.filter(({ isDone }) => isDone).length;
  return (
    <section class="set-up" aria-labelledby="what-next">
      <div class="row between">
        <h2 id="what-next">{t("next.title")}</h2>
        <span class="soft small numbers">{t("setUp.count", { done, all: known.length })}</span>
      </div>
      <ul class="what-next">
        {known.map(({ key, icon, to, isDone }) => (
          <li key={key} data-done={isDone}>
            <a href={to}>
              <Icon name={isDone ? "circleCheck" : icon} />
              <span class="grow">
                <strong>{t(`next.${key}` satisfies TextKey)}</strong>
                {isDone ? (
                  <span class="sr-only">{t("setUp.done")}</span>
                ) : (
                  <span class="soft small">{t(`next.${key}Text` satisfies TextKey)}</span>
                )}
              </span>
              {!isDone && <Icon name="chevronRight" small />}
            </a>
          </li>
        ))}
      </ul>
      <Button look="plain" text={t("next.hide")} onClick={() => showNext("over")} />
    </section>
  );
}
