import { useEffect, useState } from "preact/hooks";
import { get, put } from "../../../console/api.ts";
import { Notice } from "../../../console/components/basics.tsx";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { DeviceField } from "../../../console/components/device-field.tsx";
import { type FieldErrors, Form } from "../../../console/components/dialog.tsx";
import { CheckField, Group, SelectField, TextField } from "../../../console/components/field.tsx";
import { FoldCard } from "../../../console/components/fold-card.tsx";
import { say } from "../../../console/components/toast.tsx";
import { areWindowsWhole, WindowsField, WORKDAYS } from "../../../console/components/windows-field.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { deviceList } from "../../../console/store.ts";
import { earnings } from "./rule-dialog.tsx";

type Choices = AnswerTo<"GET", "/api/gate-choices">["choices"];
type Default = Choices["defaults"][number];
type Confirming = Choices["confirmedBy"][number];
type Followed = Choices["followed"][number];
type State = NonNullable<Choices["away"]>;

const NEW_DEFAULT: Default = { earns: "confirm", deviceId: null, windows: [], away: false };
const NEW_CONFIRMING: Confirming = { kind: "state", cameraId: null, deviceId: "", field: "", value: true };

/** What allowed plates earn where their rules do not say, and what confirms. */
export function GateChoicesCard() {
  const [choices, setChoices] = useState<Choices | null>(null);
  useEffect(() => {
    void get("/api/gate-choices")
      .then((answer) => setChoices(answer.choices))
      .catch(() => {}); // asked again with the next visit
  }, []);
  if (choices === null) return null;
  const change = (part: Partial<Choices>): void => setChoices({ ...choices, ...part });
  const send = async (): Promise<void> => {
    setChoices((await put("/api/gate-choices", { body: choices })).choices);
    say(t("action.saved"));
  };
  const withinSeconds = choices.elsewhere?.withinSeconds ?? 60;
  const isWhole = choices.defaults.every(({ windows }) => windows.length === 0 || areWindowsWhole(windows));
  return (
    <FoldCard
      title={t("earns.defaults")}
      value={t("earns.defaultsCount", { n: choices.defaults.length })}
      starts="folded"
    >
      <Form submit={t("action.save")} send={send} disabled={!isWhole}>
        {(errors) => (
          <>
            <p class="soft">{t("earns.defaultsHint")}</p>
            {choices.defaults.length === 0 && <p>{t("earns.none")}</p>}
            {choices.defaults.map((one, index) => (
              <DefaultLine
                key={index}
                one={one}
                onChange={(next) => change({ defaults: replaced(choices.defaults, index, next) })}
              />
            ))}
            <Button
              icon="plus"
              text={t("earns.add")}
              onClick={() => change({ defaults: [...choices.defaults, NEW_DEFAULT] })}
            />
            {choices.defaults.some(({ away }) => away) && (
              <AwayFields away={choices.away} errors={errors} onChange={(away) => change({ away })} />
            )}
            <SelectField
              label={t("earns.inside")}
              hint={t("earns.insideHint")}
              value={choices.whenInside}
              onChange={(whenInside) => change({ whenInside })}
              options={onDoubt()}
            />
            <SelectField
              label={t("earns.elsewhere")}
              hint={t("earns.elsewhereHint")}
              value={choices.elsewhere?.follows ?? "open"}
              onChange={(follows) => change({ elsewhere: follows === "open" ? null : { withinSeconds, follows } })}
              options={onDoubt()}
            />
            {choices.elsewhere !== null && (
              <TextField
                label={t("earns.elsewhereWithin")}
                type="number"
                unit="s"
                value={String(withinSeconds)}
                onInput={(text) =>
                  change({ elsewhere: choices.elsewhere && { ...choices.elsewhere, withinSeconds: Number(text) } })
                }
              />
            )}
            <CheckField
              label={t("earns.nearMisses")}
              checked={choices.asksNearMisses}
              onChange={(asksNearMisses) => change({ asksNearMisses })}
            />
            <Group legend={t("earns.follow")}>
              <p class="soft">{t("earns.followHint")}</p>
              {choices.followed.map((one, index) => (
                <FollowedLine
                  key={index}
                  one={one}
                  onChange={(next) => change({ followed: replaced(choices.followed, index, next) })}
                />
              ))}
              <Button
                icon="plus"
                text={t("earns.followAdd")}
                onClick={() => change({ followed: [...choices.followed, { gateId: "", loop: null }] })}
              />
            </Group>
            <Group legend={t("earns.confirmedBy")}>
              <p class="soft">{t("earns.confirmedHint")}</p>
              {choices.confirmedBy.map((one, index) => (
                <ConfirmingLine
                  key={index}
                  one={one}
                  onChange={(next) => change({ confirmedBy: replaced(choices.confirmedBy, index, next) })}
                />
              ))}
              <Button
                icon="plus"
                text={t("earns.addConfirming")}
                onClick={() => change({ confirmedBy: [...choices.confirmedBy, NEW_CONFIRMING] })}
              />
            </Group>
          </>
        )}
      </Form>
    </FoldCard>
  );
}

const onDoubt = () =>
  [
    ["open", t("earns.open")],
    ["ask", t("earns.ask")],
    ["refuse", t("earns.refuse")],
  ] as const;

/** The list with one entry replaced, or left out. */
function replaced<One>(list: readonly One[], index: number, next: One | null): One[] {
  return list.flatMap((one, at) => (at !== index ? [one] : next === null ? [] : [next]));
}

function cameraOptions(): readonly (readonly [string, string])[] {
  const cameras = deviceList.value.filter(({ type }) => type === "camera");
  return [["", t("rules.everyCamera")], ...cameras.map(({ id, name }) => [id, name] as const)];
}

function DefaultLine({ one, onChange }: { one: Default; onChange: (next: Default | null) => void }) {
  return (
    <div class="window-edit stack">
      <SelectField
        label={t("earns.label")}
        value={one.earns}
        onChange={(earns) => onChange({ ...one, earns })}
        options={[...earnings()]}
      />
      <SelectField
        label={t("rules.camera")}
        value={one.deviceId ?? ""}
        onChange={(deviceId) => onChange({ ...one, deviceId: deviceId === "" ? null : deviceId })}
        options={cameraOptions()}
      />
      <SelectField
        label={t("earns.when")}
        value={one.windows.length === 0 ? "always" : "times"}
        onChange={(when) =>
          onChange({ ...one, windows: when === "always" ? [] : [{ ...WORKDAYS, days: [...WORKDAYS.days] }] })
        }
        options={[
          ["always", t("earns.always")],
          ["times", t("earns.atTimes")],
        ]}
      />
      {one.windows.length > 0 && (
        <WindowsField
          windows={one.windows}
          onChange={(windows) =>
            onChange({ ...one, windows: windows.map(({ days, ...rest }) => ({ ...rest, days: [...days] })) })
          }
        />
      )}
      <CheckField label={t("earns.away")} checked={one.away} onChange={(away) => onChange({ ...one, away })} />
      <IconButton icon="trash" label={t("earns.remove")} onClick={() => onChange(null)} />
    </div>
  );
}

function FollowedLine({ one, onChange }: { one: Followed; onChange: (next: Followed | null) => void }) {
  const { gateId, loop } = one;
  return (
    <div class="window-edit stack">
      <DeviceField label={t("earns.followGate")} value={gateId} onChange={(id) => onChange({ gateId: id, loop })} />
      <CheckField
        label={t("earns.followLoop")}
        checked={loop !== null}
        onChange={(has) => onChange({ gateId, loop: has ? { deviceId: "", field: "", value: true } : null })}
      />
      {loop !== null && <StateFields state={loop} onChange={(next) => onChange({ gateId, loop: next })} />}
      <IconButton icon="trash" label={t("earns.remove")} onClick={() => onChange(null)} />
    </div>
  );
}

function AwayFields({
  away,
  errors,
  onChange,
}: {
  away: State | null;
  errors: FieldErrors;
  onChange: (next: State) => void;
}) {
  const shown = away ?? { deviceId: "", field: "", value: true };
  return (
    <Group legend={t("earns.awayBy")}>
      <p class="soft">{t("earns.awayHint")}</p>
      {errors.away !== undefined && <Notice tone="bad">{errors.away}</Notice>}
      <StateFields state={shown} onChange={onChange} />
    </Group>
  );
}

function StateFields({ state, onChange }: { state: State; onChange: (next: State) => void }) {
  return (
    <>
      <DeviceField
        label={t("earns.device")}
        value={state.deviceId}
        onChange={(deviceId) => onChange({ ...state, deviceId })}
      />
      <div class="pair">
        <TextField label={t("earns.field")} value={state.field} onInput={(field) => onChange({ ...state, field })} />
        <TextField
          label={t("earns.value")}
          value={String(state.value)}
          onInput={(text) => onChange({ ...state, value: typedValue(text) })}
        />
      </div>
    </>
  );
}

/** What is typed, as devices report it. */
function typedValue(text: string): State["value"] {
  if (text === "true" || text === "false") return text === "true";
  return text.trim() !== "" && Number.isFinite(Number(text)) && String(Number(text)) === text ? Number(text) : text;
}

function ConfirmingLine({ one, onChange }: { one: Confirming; onChange: (next: Confirming | null) => void }) {
  const { cameraId, deviceId } = one;
  const turn = (kind: Confirming["kind"]): void => {
    if (kind === "event") onChange({ kind, cameraId, deviceId, event: "" });
    else if (kind === "pin") onChange({ kind, cameraId, deviceId, field: "code" });
    else onChange({ kind, cameraId, deviceId, field: "", value: true });
  };
  return (
    <div class="window-edit stack">
      <SelectField
        label={t("earns.how")}
        value={one.kind}
        onChange={turn}
        options={[
          ["state", t("earns.howState")],
          ["pin", t("earns.howPin")],
          ["event", t("earns.howEvent")],
        ]}
      />
      {one.kind === "state" ? (
        <StateFields state={one} onChange={(state) => onChange({ ...one, ...state })} />
      ) : (
        <DeviceField label={t("earns.device")} value={deviceId} onChange={(id) => onChange({ ...one, deviceId: id })} />
      )}
      {one.kind === "event" && (
        <TextField label={t("earns.event")} value={one.event} onInput={(event) => onChange({ ...one, event })} />
      )}
      {one.kind === "pin" && (
        <div class="pair">
          <TextField label={t("earns.field")} value={one.field} onInput={(field) => onChange({ ...one, field })} />
          <TextField
            label={t("earns.pin")}
            hint={t("earns.pinHint")}
            value={one.pin ?? ""}
            onInput={(pin) => onChange(pin === "" ? withoutPin(one) : { ...one, pin })}
            secret
          />
        </div>
      )}
      <SelectField
        label={t("rules.camera")}
        value={cameraId ?? ""}
        onChange={(id) => onChange({ ...one, cameraId: id === "" ? null : id })}
        options={cameraOptions()}
      />
      <IconButton icon="trash" label={t("earns.remove")} onClick={() => onChange(null)} />
    </div>
  );
}

function withoutPin({ pin: _pin, ...one }: Extract<Confirming, { kind: "pin" }>): Confirming {
  return one;
}
