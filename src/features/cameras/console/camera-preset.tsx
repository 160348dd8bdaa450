import { useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Card } from "../../../console/components/basics.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { SelectField, TextField } from "../../../console/components/field.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { PasswordField } from "../../../console/components/password-field.tsx";
import { keyedText } from "../../../console/i18n/hub-texts.ts";
import { t } from "../../../console/i18n/translate.ts";
import { asksFor, type Finding, filledChoices, type Preset, type PresetFields } from "./camera-find-model.ts";

const EMPTY: PresetFields = { host: "", user: "", password: "", channel: "1", name: "" };

/** "My camera is a …": the addresses of a known maker, with fields only for what differs between cameras. */
export function CameraPreset({ onFound }: { onFound: (finding: Finding) => void }) {
  const [presets] = useLoaded(async () => (await get("/api/cameras/presets")).presets);
  const [id, setId] = useState("");
  const [fields, setFields] = useState<PresetFields>(EMPTY);
  const preset = presets?.find((candidate) => candidate.id === id);
  const choose = (next: string): void => {
    setId(next);
    setFields({ ...fields, user: presets?.find((candidate) => candidate.id === next)?.user ?? "" });
  };
  return (
    <Card title={t("find.maker")}>
      <p class="soft small">{t("find.makerText")}</p>
      <SelectField
        label={t("find.makerIs")}
        value={id}
        onChange={choose}
        options={[["", t("block.choose")], ...(presets ?? []).map((each) => [each.id, each.maker] as const)]}
      />
      {preset !== undefined && (
        <Form
          submit={t("find.next")}
          disabled={fields.host.trim() === ""}
          send={async () =>
            onFound({ name: preset.maker, choices: filledChoices(preset, fields), motionAddress: null })
          }
        >
          {() => <Places preset={preset} fields={fields} change={(part) => setFields({ ...fields, ...part })} />}
        </Form>
      )}
    </Card>
  );
}

function Places({
  preset,
  fields,
  change,
}: {
  preset: Preset;
  fields: PresetFields;
  change: (part: Partial<PresetFields>) => void;
}) {
  return (
    <>
      {preset.note !== null && <p class="small">{keyedText(`preset.${preset.id}`, preset.note)}</p>}
      <TextField
        label={t("find.host")}
        hint={t("find.hostHint")}
        inputMode="url"
        value={fields.host}
        onInput={(host) => change({ host })}
        maxLength={200}
        required
      />
      {asksFor(preset, "user") && (
        <>
          <TextField
            label={t("devices.user")}
            value={fields.user}
            onInput={(user) => change({ user })}
            maxLength={64}
          />
          <PasswordField
            label={t("find.password")}
            value={fields.password}
            onInput={(password) => change({ password })}
            maxLength={128}
          />
        </>
      )}
      {asksFor(preset, "channel") && (
        <TextField
          label={t("find.channel")}
          hint={t("find.channelHint")}
          inputMode="numeric"
          value={fields.channel}
          onInput={(channel) => change({ channel: channel.replace(/\D/g, "") })}
          maxLength={3}
        />
      )}
      {asksFor(preset, "name") && (
        <TextField
          label={t("find.streamName")}
          value={fields.name}
          onInput={(name) => change({ name })}
          maxLength={100}
        />
      )}
    </>
  );
}
