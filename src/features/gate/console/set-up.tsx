import type { ComponentChildren } from "preact";
import { Button } from "../../../console/components/button.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import { path } from "../../../console/router.ts";
import { hideHint, hints, reads } from "../../../console/store.ts";
import { whyOf } from "./gate-story.ts";
import { type SetUpPath, useSetUp } from "./set-up-path.ts";
import "./set-up.css";

/** The steps to a gate that opens by itself, with the next one as a button; nothing once it has opened for a plate. */
export function SetUpCard() {
  const way = useSetUp();
  if (way === null || way.next === null) return null;
  const { steps, next, count } = way;
  return (
    <section class="set-up" aria-labelledby="set-up">
      <div class="row between">
        <h2 id="set-up">{t("setUp.title")}</h2>
        <span class="soft small numbers">{t("setUp.count", { done: count, all: steps.length })}</span>
      </div>
      <progress class="gauge" max={steps.length} value={count} aria-label={t("setUp.title")} />
      <ol>
        {steps.map((step) => (
          <li key={step.text} data-done={step.isDone} data-next={step === next}>
            <Icon name={step.isDone ? "circleCheck" : "circle"} small />
            {step.isDone || step === next ? (
              <span>
                {t(step.text)} {step.isDone && <span class="sr-only">{t("setUp.done")}</span>}
              </span>
            ) : (
              <a href={step.to}>{t(step.text)}</a>
            )}
          </li>
        ))}
      </ol>
      <Hindrance way={way} />
      <div class="row between">
        <a class="button primary" href={next.to}>
          {t("setUp.next", { step: t(next.text) })}
        </a>
        <Button look="plain" text={t("setUp.hide")} onClick={() => void hideHint("setUp").catch(sayError)} />
      </div>
      <HouseUnknown />
    </section>
  );
}

/** The step after the claim, for who left it out: another browser does not ask again. */
function HouseUnknown() {
  const isUnknown = hints.value?.next?.some(({ step, done }) => step === "place" && !done) ?? false;
  return isUnknown ? (
    <a class="small" href="/system/site">
      {t("setUp.house")}
    </a>
  ) : null;
}

/** Why the gate stayed shut for the last picture of an allowed plate, while only that is left to do. */
function Hindrance({ way: { steps, next } }: { way: SetUpPath }) {
  const last = reads.value[0];
  if (last?.decision !== "allow" || next !== steps.at(-1)) return null;
  const reason = last.gate?.reason ?? null;
  if (reason === null) return null;
  return (
    <p class="small">
      {reason === "repeated" ? t("setUp.repeated") : t("chain.notTold", { has: "yes", why: whyOf(reason) })}
    </p>
  );
}

/**
 * On a page that the way leads through: how far the house is, and the next step. `does`: the step that is taken on this
 * page too; it does not lead elsewhere.
 */
export function SetUpBar({ does }: { does?: TextKey }) {
  const way = useSetUp();
  if (way === null || way.next === null) return null;
  const { steps, next } = way;
  const isHere = next.text === does || next.to.split("?")[0] === path();
  return (
    <nav class="set-up-bar" aria-label={t("setUp.title")}>
      <a class="small" href="/">
        {t("setUp.step", { n: steps.indexOf(next) + 1, all: steps.length })}
      </a>
      {isHere ? (
        <strong>{t(next.text)}</strong>
      ) : (
        <a class="button" href={next.to}>
          {t("setUp.next", { step: t(next.text) })}
          <Icon name="chevronRight" small />
        </a>
      )}
    </nav>
  );
}

/** What ends the dialog in which a gate was added: the step after that. `otherwise`: where nothing is left to do. */
export function AfterGate({ otherwise }: { otherwise: ComponentChildren }) {
  const next = useSetUp()
    ?.steps.slice(1)
    .find(({ isDone }) => !isDone);
  if (next === undefined) return <>{otherwise}</>;
  return (
    <a class="button primary" href={next.to}>
      {t("setUp.next", { step: t(next.text) })}
    </a>
  );
}
