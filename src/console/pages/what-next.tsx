/** What is worth doing once the gate opens, in one line until somebody wants to see it. */
import { Button } from "../components/button.tsx";
import { Icon, type IconName } from "../components/icon.tsx";
import { sayError } from "../components/toast.tsx";
import { t } from "../i18n/translate.ts";
import { hideHint, hints } from "../store.ts";
import "./what-next.css";

/** Where each of them is done. */
const STEPS = {
  person: { icon: "users", to: "/system/persons" },
  messages: { icon: "bell", to: "/notifications/settings" },
  passphrase: { icon: "shield", to: "/system/backups" },
  devices: { icon: "plug", to: "/devices?add" },
  place: { icon: "sunset", to: "/system/site" },
} as const satisfies Record<string, { readonly icon: IconName; readonly to: string }>;

/** The suggestions; nothing once all are done, or this person has put them away. */
export function WhatNext() {
  const next = hints.value?.next ?? null;
  if (next === null) return null;
  const left = next.filter(({ done }) => !done);
  return (
    <details class="what-next">
      <summary>
        <Icon name="list" small />
        <strong class="grow">{t("next.left", { n: left.length })}</strong>
        <Icon name="chevronRight" small />
      </summary>
      <ul>
        {next.map(({ step, done }) => (
          <li key={step} data-done={done}>
            <a href={STEPS[step].to}>
              <Icon name={done ? "circleCheck" : STEPS[step].icon} />
              <span class="grow">
                <strong>{t(`next.${step}`)}</strong>
                {done ? (
                  <span class="sr-only">{t("setUp.done")}</span>
                ) : (
                  <span class="soft small">{t(`next.${step}Text`)}</span>
                )}
              </span>
              {!done && <Icon name="chevronRight" small />}
            </a>
          </li>
        ))}
      </ul>
      <Button look="plain" text={t("next.hide")} onClick={() => void hideHint("next").catch(sayError)} />
    </details>
  );
}
