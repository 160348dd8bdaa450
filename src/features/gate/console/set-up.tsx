import { useEffect, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Button } from "../../../console/components/button.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import { onFact } from "../../../console/live.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { deviceList } from "../../../console/store.ts";
import "./set-up.css";

type Done = AnswerTo<"GET", "/api/gate/set-up">;

/** Where this browser remembers that somebody wants no gate. */
const HIDDEN = "gatehouse.set-up-hidden";

/**
 * What is left to do until the gate has opened for a plate; nothing after that, and nothing in a house that has
 * neither a gate nor a camera but other devices.
 */
export function SetUpCard() {
  const [done, setDone] = useState<Done | null>(null);
  const [isHidden, setHidden] = useState(() => localStorage.getItem(HIDDEN) !== null);
  const devices = deviceList.value;
  const camera = devices.find(({ type }) => type === "camera");
  const gate = devices.find(({ capabilities }) => capabilities?.barrier === true);
  useEffect(() => {
    const load = (): void =>
      void get("/api/gate/set-up")
        .then(setDone)
        .catch(() => {});
    load();
    const stops = [onFact("read.decided", load), onFact("gate.opening", load)];
    return () => {
      for (const stop of stops) stop();
    };
  }, [devices.length]);
  const isWanted = devices.length === 0 || camera !== undefined || gate !== undefined;
  if (done === null || done.opened || isHidden || !isWanted) return null;
  const cameraPage = camera === undefined ? "/gate/cameras/new" : `/gate/cameras/${encodeURIComponent(camera.id)}`;
  const steps: readonly (readonly [isDone: boolean, to: string, key: TextKey])[] = [
    [gate !== undefined, "/system/devices?add=gate", "setUp.gate"],
    [camera !== undefined, "/gate/cameras/new", "setUp.camera"],
    [done.joined, cameraPage, "setUp.join"],
    [done.pictured, cameraPage, "setUp.picture"],
    [done.listed, "/gate/rules?add", "setUp.plate"],
    [done.opened, cameraPage, "setUp.open"],
  ];
  const next = steps.findIndex(([isDone]) => !isDone);
  const count = steps.filter(([isDone]) => isDone).length;
  return (
    <section class="set-up" aria-labelledby="set-up">
      <div class="row between">
        <h2 id="set-up">{t("setUp.title")}</h2>
        <span class="soft small numbers">{t("setUp.count", { done: count, all: steps.length })}</span>
      </div>
      <progress class="gauge" max={steps.length} value={count} aria-label={t("setUp.title")} />
      <ol>
        {steps.map(([isDone, to, key], index) => (
          <li key={key} data-done={isDone} data-next={index === next}>
            <Icon name={isDone ? "circleCheck" : "circle"} small />
            {isDone ? (
              <span>
                {t(key)} <span class="sr-only">{t("setUp.done")}</span>
              </span>
            ) : (
              <a href={to}>{t(key)}</a>
            )}
          </li>
        ))}
      </ol>
      <Button
        look="plain"
        text={t("setUp.hide")}
        onClick={() => {
          localStorage.setItem(HIDDEN, "yes");
          setHidden(true);
        }}
      />
    </section>
  );
}
