import { useState } from "preact/hooks";
import { get, post, put, remove } from "../../../console/api.ts";
import { Card, Empty, Notice, PageHead, Switch, TryAgain } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { copyText } from "../../../console/components/copy.ts";
import { Confirm } from "../../../console/components/dialog.tsx";
import { usePolled } from "../../../console/components/polled.ts";
import { QrCode } from "../../../console/components/qr-code.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { ago, dateTime, type TextKey, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { MatterPinDialog } from "./matter-pin.tsx";
import { MatterRestoredCard } from "./matter-restored.tsx";
import { MatterShownCard } from "./matter-shown.tsx";

/** Matter's state as the hub reports it. */
export type Matter = AnswerTo<"GET", "/api/matter">["matter"];

const MINUTES = 10;
const STATES: Readonly<Record<Matter["process"]["state"], readonly [TextKey, string]>> = {
  off: ["matter.state.off", "badge"],
  starting: ["matter.state.starting", "badge warn"],
  running: ["matter.state.running", "badge good"],
  waiting: ["matter.state.waiting", "badge bad"],
  stopping: ["matter.state.stopping", "badge warn"],
};

const lookUp = async (): Promise<Matter> => (await get("/api/matter")).matter;

/** Apple Home, Google Home, Alexa and others through Matter: on or off, the joined homes, and what they see. */
export function MatterPage() {
  const { value: matter, failed, set: setMatter, again } = usePolled(lookUp);
  return (
    <>
      <PageHead title={t("matter.title")} subtitle={t("matter.subtitle")} />
      <Tabs of="/system" here="/system/matter" />
      {failed && matter === null && <TryAgain text={t("matter.failed")} onTry={again} />}
      {matter !== null && (
        <>
          {matter.enabled && !matter.network.ipv6 && <Notice tone="bad">{t("matter.noIpv6")}</Notice>}
          <div class="columns">
            <div class="stack home-main">
              {matter.restored && <MatterRestoredCard onChange={setMatter} />}
              <SwitchCard matter={matter} onChange={setMatter} />
              {matter.enabled && <JoinCard matter={matter} onChange={setMatter} />}
              <PinCard matter={matter} onChange={setMatter} />
            </div>
            <div class="stack home-side">
              {(matter.enabled || matter.fabrics.length > 0) && <HomesCard matter={matter} onChange={setMatter} />}
              <MatterShownCard matter={matter} onChange={setMatter} />
            </div>
          </div>
        </>
      )}
    </>
  );
}

/** Properties of every card of the page. */
export interface MatterCard {
  readonly matter: Matter;
  readonly onChange: (matter: Matter) => void;
}

function SwitchCard({ matter, onChange }: MatterCard) {
  const [isSwitching, setSwitching] = useState(false);
  const { state, megabytes, restarts, reason, since } = matter.process;
  const [word, tone] = STATES[state];
  const toggle = async (enabled: boolean): Promise<void> => {
    setSwitching(true);
    try {
      onChange((await put("/api/matter", { body: { enabled } })).matter);
    } catch (error) {
      sayError(error);
    }
    setSwitching(false);
  };
  return (
    <Card title={t("matter.switch")} action={<span class={tone}>{t(word)}</span>}>
      <div class="row between">
        <p class="soft grow">{t("matter.switchText")}</p>
        <Switch
          label={t("matter.switch")}
          on={matter.enabled}
          pending={isSwitching}
          disabled={!matter.changeable || isSwitching}
          onToggle={(on) => void toggle(on)}
        />
      </div>
      {!matter.changeable && <p class="soft small">{t("matter.held")}</p>}
      {state === "waiting" && <Notice tone="warn">{t("matter.ended", { n: restarts, reason: reason ?? "" })}</Notice>}
      {matter.enabled && (
        <details class="group">
          <summary>{t("matter.details")}</summary>
          <dl class="facts">
            {megabytes !== null && (
              <>
                <dt>{t("matter.memory")}</dt>
                <dd>{t("matter.megabytes", { n: megabytes })}</dd>
              </>
            )}
            <dt>{t("matter.since")}</dt>
            <dd>{ago(since)}</dd>
            {matter.network.port !== null && (
              <>
                <dt>{t("matter.port")}</dt>
                <dd>
                  <code>{matter.network.port}</code>
                </dd>
              </>
            )}
            <dt>{t("matter.addresses")}</dt>
            <dd>
              {matter.network.addresses.length === 0
                ? t("matter.none")
                : matter.network.addresses.map((address) => <code key={address}>{address} </code>)}
            </dd>
          </dl>
        </details>
      )}
    </Card>
  );
}

function JoinCard({ matter, onChange }: MatterCard) {
  const { window } = matter;
  const isRunning = matter.process.state === "running" && matter.network.port !== null;
  const open = (): void =>
    void post("/api/matter/window", { body: { minutes: MINUTES } })
      .then((answer) => onChange(answer.matter))
      .catch(sayError);
  const close = (): void =>
    void remove("/api/matter/window")
      .then((answer) => onChange(answer.matter))
      .catch(sayError);
  return (
    <Card title={t("matter.join")}>
      {window === null ? (
        <>
          <p>{t("matter.joinText")}</p>
          <div class="row">
            <Button look="primary" text={t("matter.open", { n: MINUTES })} disabled={!isRunning} onClick={open} />
          </div>
        </>
      ) : (
        <div class="stack">
          <QrCode text={window.qr} label={t("matter.qr")} />
          <p class="soft small">{t("matter.codeText")}</p>
          <div class="row">
            <code class="secret grow">{grouped(window.code)}</code>
            <Button text={t("secret.copy")} onClick={() => void copyText(window.code)} />
          </div>
          <ol class="steps small">
            <li>{t("matter.step1")}</li>
            <li>{t("matter.step2")}</li>
            <li>{t("matter.step3")}</li>
          </ol>
          <div class="row between">
            <p class="soft small">{t("matter.until", { at: dateTime(window.until) })}</p>
            <Button text={t("matter.close")} onClick={close} />
          </div>
        </div>
      )}
    </Card>
  );
}

/** Eleven digits as they are printed on packages: 1234-567-8901. */
function grouped(code: string): string {
  return code.replace(/^(\d{4})(\d{3})(\d{4})$/, "$1-$2-$3");
}

function HomesCard({ matter, onChange }: MatterCard) {
  const [leaving, setLeaving] = useState<Matter["fabrics"][number] | null>(null);
  return (
    <Card title={t("matter.homes")}>
      {matter.fabrics.length === 0 ? (
        <Empty icon="house" text={t("matter.noHomes")} />
      ) : (
        <ul class="list">
          {matter.fabrics.map((fabric) => (
            <li key={fabric.id}>
              <div class="grow">
                <p>{fabric.name}</p>
                <p class="soft small">{t("matter.joinedAt", { at: dateTime(fabric.joinedAt) })}</p>
              </div>
              <Button
                look="danger"
                text={t("matter.remove")}
                aria-label={t("matter.removeNamed", { name: fabric.name })}
                onClick={() => setLeaving(fabric)}
              />
            </li>
          ))}
        </ul>
      )}
      {leaving !== null && (
        <Confirm
          title={t("matter.removeNamed", { name: leaving.name })}
          text={t("matter.removeText")}
          action={t("matter.remove")}
          danger
          onYes={async () => {
            onChange((await remove("/api/matter/fabrics/{id}", { params: { id: leaving.id } })).matter);
            say(t("matter.removed", { name: leaving.name }));
          }}
          onClose={() => setLeaving(null)}
        />
      )}
    </Card>
  );
}

function PinCard({ matter, onChange }: MatterCard) {
  const [isEditing, setEditing] = useState(false);
  const words: Readonly<Record<Matter["pin"], TextKey>> = {
    unset: "matter.pin.unset",
    set: "matter.pin.set",
    not_asked: "matter.pin.notAsked",
  };
  return (
    <Card title={t("matter.pin.title")}>
      <p>{t(words[matter.pin])}</p>
      {matter.pin === "not_asked" && <Notice tone="warn">{t("matter.pin.warning")}</Notice>}
      <div class="row">
        <Button
          text={t(matter.pin === "unset" ? "matter.pin.choose" : "matter.pin.change")}
          onClick={() => setEditing(true)}
        />
      </div>
      {isEditing && <MatterPinDialog onChange={onChange} onClose={() => setEditing(false)} />}
    </Card>
  );
}
