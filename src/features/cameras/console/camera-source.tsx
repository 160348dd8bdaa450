import { useState } from "preact/hooks";
import { Button } from "../../../console/components/button.tsx";
import { DeviceField } from "../../../console/components/device-field.tsx";
import type { FieldErrors } from "../../../console/components/dialog.tsx";
import { SelectField, TextField } from "../../../console/components/field.tsx";
import { PasswordField } from "../../../console/components/password-field.tsx";
import { ComparedField, ValueField } from "../../../console/components/value-field.tsx";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import { devices } from "../../../console/store.ts";
import type { CameraWatch, CameraSource as Source } from "../../gate/api/console-cameras.ts";
import { picturesOf } from "../../gate/rules/read-picture.ts";
import { lastPicture } from "./camera-model.ts";
import { MaskEditor } from "./mask-editor.tsx";

const FRESH: Readonly<Record<CameraWatch["kind"], CameraWatch>> = {
  motion: { kind: "motion", sensitivity: 50, mask: [] },
  periodic: { kind: "periodic", everySeconds: 60 },
  loop: { kind: "loop", deviceId: "", field: "", value: true },
  onvif: { kind: "onvif", address: "" },
  manual: { kind: "manual" },
};

/** The initial values of a trigger; a camera's own events are usually at the host of its pictures. */
function freshWatch(kind: CameraWatch["kind"], url: string | undefined): CameraWatch {
  if (kind !== "onvif" || url === undefined || !URL.canParse(url)) return FRESH[kind];
  return { kind, address: `http://${new URL(url).hostname}/onvif/device_service` };
}

const KINDS = {
  native: "camera.sourceNative",
  snapshot: "camera.sourceSnapshot",
  rtsp: "camera.sourceRtsp",
} as const satisfies Record<Source["kind"], TextKey>;

/** Where a camera's pictures come from, in words. */
export function sourceText({ kind }: Source): string {
  return t(KINDS[kind]);
}

/** Where a camera's pictures come from, and when the hub looks. */
export function CameraSource({
  deviceId,
  source,
  hasPassword,
  errors,
  onChange,
}: {
  deviceId: string;
  source: Source;
  hasPassword: boolean;
  errors: FieldErrors;
  onChange: (source: Source) => void;
}) {
  const watch = source.watch ?? FRESH.motion;
  const setKind = (kind: string): void =>
    onChange(kind === "snapshot" || kind === "rtsp" ? { kind, url: source.url ?? "", watch } : { kind: "native" });
  const at = (member: string): string | undefined => errors[member] ?? errors[`source.${member}`];
  return (
    <>
      <p>
        <a href={`/gate/cameras/${encodeURIComponent(deviceId)}/find`}>{t("find.forMe")}</a>
      </p>
      <SelectField
        label={t("camera.sourceKind")}
        value={source.kind}
        onChange={setKind}
        options={[
          ["native", t(KINDS.native)],
          ["snapshot", t(KINDS.snapshot)],
          ["rtsp", t(KINDS.rtsp)],
        ]}
      />
      {source.kind === "native" ? (
        <p class="soft small">{t("camera.nativeHint", { topic: `gatehouse/${deviceId}/capture` })}</p>
      ) : (
        <>
          <TextField
            label={t("camera.url")}
            hint={source.kind === "rtsp" ? t("camera.rtspHint") : t("camera.snapshotHint")}
            inputMode="url"
            value={source.url ?? ""}
            onInput={(url) => onChange({ ...source, url })}
            error={at("url")}
            required
          />
          <PasswordField
            label={t("find.password")}
            hint={t(hasPassword ? "camera.passwordKept" : "camera.passwordHint")}
            autocomplete="new-password"
            value={source.password ?? ""}
            onInput={(password) => onChange({ ...source, password })}
            error={at("password")}
            maxLength={200}
          />
          <SelectField
            label={t("camera.watch")}
            value={watch.kind}
            onChange={(kind) => onChange({ ...source, watch: freshWatch(kind as CameraWatch["kind"], source.url) })} // one of the options below
            error={at("watch.kind")}
            options={[
              ["motion", t("watch.motion")],
              ["periodic", t("watch.periodic")],
              ["loop", t("watch.loop")],
              ["onvif", t("watch.onvif")],
              ["manual", t("watch.manual")],
            ]}
          />
          <WatchFields
            deviceId={deviceId}
            watch={watch}
            at={at}
            onChange={(next) => onChange({ ...source, watch: next })}
          />
        </>
      )}
    </>
  );
}

function WatchFields({
  deviceId,
  watch,
  at,
  onChange,
}: {
  deviceId: string;
  watch: CameraWatch;
  at: (member: string) => string | undefined;
  onChange: (watch: CameraWatch) => void;
}) {
  if (watch.kind === "motion") return <MotionFields deviceId={deviceId} watch={watch} onChange={onChange} />;
  if (watch.kind === "periodic")
    return (
      <TextField
        label={t("block.everySeconds")}
        inputMode="numeric"
        value={String(watch.everySeconds ?? "")}
        onInput={(typed) => onChange({ ...watch, everySeconds: Number(typed) })}
        error={at("watch.everySeconds")}
      />
    );
  if (watch.kind === "onvif")
    return (
      <TextField
        label={t("watch.onvifAddress")}
        hint={t("watch.onvifHint")}
        inputMode="url"
        value={watch.address ?? ""}
        onInput={(address) => onChange({ ...watch, address })}
        error={at("watch.address")}
      />
    );
  if (watch.kind !== "loop") return null;
  const input = devices.value.get(watch.deviceId ?? "");
  return (
    <div class="block-fields">
      <DeviceField
        label={t("block.device")}
        value={watch.deviceId ?? ""}
        only={(device) => device.id !== deviceId}
        onChange={(next) => onChange({ ...watch, deviceId: next })}
        error={at("watch.deviceId")}
      />
      <ValueField
        label={t("block.field")}
        device={input}
        value={watch.field ?? ""}
        onChange={(field) => onChange({ ...watch, field })}
      />
      <ComparedField
        label={t("block.value")}
        device={input}
        block={{ type: "loop", op: "eq", field: watch.field, value: watch.value ?? true }}
        onChange={(value) => onChange({ ...watch, value })}
      />
    </div>
  );
}

function MotionFields({
  deviceId,
  watch,
  onChange,
}: {
  deviceId: string;
  watch: CameraWatch;
  onChange: (watch: CameraWatch) => void;
}) {
  const [isOpen, setOpen] = useState((watch.mask ?? []).length > 0);
  const sensitivity = watch.sensitivity ?? 50;
  const picture = lastPicture(deviceId);
  return (
    <>
      <label class="field">
        <span class="row between">
          <span class="label">{t("watch.sensitivity")}</span>
          <span class="numbers">{sensitivity}</span>
        </span>
        <input
          class="range"
          type="range"
          min="1"
          max="100"
          value={sensitivity}
          onInput={(event) => onChange({ ...watch, sensitivity: Number(event.currentTarget.value) })}
        />
      </label>
      {isOpen ? (
        <MaskEditor
          polygons={watch.mask ?? []}
          picture={picture === undefined ? null : picturesOf(picture).whole}
          onChange={(mask) => onChange({ ...watch, mask })}
        />
      ) : (
        <Button text={t("mask.open")} onClick={() => setOpen(true)} />
      )}
    </>
  );
}
