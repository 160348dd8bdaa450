import { useEffect, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Card } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { keyedText } from "../../../console/i18n/hub-texts.ts";
import { ago, dateTime, number, type TextKey, t } from "../../../console/i18n/translate.ts";
import { askAfter } from "../../../console/live.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { devices } from "../../../console/store.ts";
import { commandText } from "../../automations/console/command-words.ts";

type Command = AnswerTo<"GET", "/api/devices/{id}/commands">["commands"][number];

type Refusal = AnswerTo<"GET", "/api/devices/{id}/refusals">["refusals"][number];

const SHOWN = 20;
/** Commands before somebody asks for the others. */
const FIRST = 5;
const TONES: Readonly<Record<Command["status"], string>> = {
  sent: "badge",
  queued: "badge",
  delivered: "badge good",
  expired: "badge warn",
  failed: "badge bad",
};
const ACTORS: Readonly<Record<string, TextKey>> = {
  session: "actor.session",
  api_key: "actor.api_key",
  matter: "actor.matter",
  scene: "actor.scene",
  automation: "actor.automation",
  gate: "actor.gate",
};

/** How long the device took, as people say it. */
function answered(ms: number): string {
  return ms < 1_000 ? t("commands.answered", { ms }) : t("commands.answeredSeconds", { n: number(ms / 1_000) });
}

/** The commands sent to a device, their senders and outcomes. */
export function CommandLog({ deviceId }: { deviceId: string }) {
  const [commands, setCommands] = useState<readonly Command[]>([]);
  const [isAll, setAll] = useState(false);
  useEffect(() => {
    const load = (): Promise<void> =>
      get("/api/devices/{id}/commands", { params: { id: deviceId }, query: { limit: SHOWN } })
        .then((answer) => setCommands(answer.commands))
        .catch(() => {});
    void load();
    return askAfter(["command.sent", "device.changed"], load, { concerns: (fact) => fact.deviceId === deviceId });
  }, [deviceId]);
  if (commands.length === 0) return null;
  return (
    <Card title={t("commands.title")}>
      <ul class="list">
        {(isAll ? commands : commands.slice(0, FIRST)).map((command) => (
          <li key={command.id}>
            <div class="grow">
              <p>{commandText(command.command, devices.value.get(deviceId))}</p>
              <p class="soft small">
                {actorWord(command)} · <time dateTime={command.at}>{dateTime(command.at)}</time>
                {command.answeredAt !== null &&
                  ` · ${answered(Date.parse(command.answeredAt) - Date.parse(command.at))}`}
              </p>
            </div>
            <span class={TONES[command.status]}>{t(`command.${command.status}`)}</span>
          </li>
        ))}
      </ul>
      {!isAll && commands.length > FIRST && (
        <Button text={t("home.more", { n: commands.length - FIRST })} onClick={() => setAll(true)} />
      )}
    </Card>
  );
}

function actorWord({ actor, name }: Command): string {
  if (name !== null) return t("actor.named", { name });
  const [kind = "", id = ""] = actor.split(":");
  const key = ACTORS[kind];
  return key === undefined ? actor : t(key, { id });
}

/** The broker's refusals for a device since the hub started; nothing if there were none. */
export function Refusals({ deviceId }: { deviceId: string }) {
  const [refusals, setRefusals] = useState<readonly Refusal[]>([]);
  useEffect(() => {
    void get("/api/devices/{id}/refusals", { params: { id: deviceId } })
      .then((answer) => setRefusals(answer.refusals))
      .catch(() => {});
  }, [deviceId]);
  if (refusals.length === 0) return null;
  return (
    <Card title={t("refusals.title")}>
      <p class="soft small">{t("refusals.text")}</p>
      <ul class="list">
        {refusals.map((refusal) => (
          <li key={`${refusal.reason} ${refusal.topic}`}>
            <div class="grow">
              <p>
                {keyedText(`refusal.${refusal.reason}`, refusal.reason.replaceAll("_", " "))}{" "}
                <span class="badge warn">{refusal.count}</span>
              </p>
              <p class="soft small">
                <code>{refusal.topic}</code> · {ago(refusal.lastAt)}
              </p>
              {refusal.example !== null && <code class="secret">{refusal.example}</code>}
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
