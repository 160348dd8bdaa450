import { choiceName, settingName, settingText } from "../../../console/i18n/settings-texts.ts";
import { number, t } from "../../../console/i18n/translate.ts";
import { type Draft, isWaiting, type Setting, typed } from "./settings-model.ts";

/** One setting: its name, meaning and value, and in small print its key, as in docs/settings.md. */
export function SettingField({
  id,
  setting,
  draft,
  wrong,
  onChange,
}: {
  id: string;
  setting: Setting;
  draft: Draft | undefined;
  wrong: string | null;
  onChange: (draft: Draft) => void;
}) {
  const { key, changeable, choices } = setting;
  const byDefault = typed(setting.default);
  const value = draft === undefined ? typed(setting.saved) : (draft ?? byDefault);
  const about = {
    "aria-describedby": `${id}-help${wrong === null ? "" : ` ${id}-wrong`}`,
    "aria-invalid": wrong !== null,
    disabled: !changeable,
  };
  const isDefault = value === byDefault;
  return (
    <div class="field setting">
      {typeof value === "boolean" ? (
        <label class="check">
          <input
            id={id}
            type="checkbox"
            checked={value}
            {...about}
            onChange={(event) => onChange(event.currentTarget.checked)}
          />
          <span class="label">{settingName(key)}</span>
        </label>
      ) : (
        <>
          <label for={id}>{settingName(key)}</label>
          {choices === null ? (
            <input
              id={id}
              class="input"
              value={value}
              {...about}
              autocomplete="off"
              spellcheck={false}
              {...(setting.kind === "integer"
                ? { inputMode: "numeric" as const }
                : setting.kind === "number"
                  ? { inputMode: "decimal" as const }
                  : {})}
              onInput={(event) => onChange(event.currentTarget.value)}
            />
          ) : (
            <select
              id={id}
              class="input"
              value={value}
              {...about}
              onChange={(event) => onChange(event.currentTarget.value)}
            >
              {choices.map((choice) => (
                <option key={choice} value={choice} selected={choice === value}>
                  {choiceName(key, choice)}
                </option>
              ))}
            </select>
          )}
        </>
      )}
      {wrong !== null && (
        <span class="error" id={`${id}-wrong`}>
          {wrong}
        </span>
      )}
      <span class="hint" id={`${id}-help`}>
        {settingText(key, setting.description)}
        {!changeable && ` ${t("settings.fixed", { env: setting.env })}`}
      </span>
      <span class="row setting-facts">
        {setting.minimum !== null && setting.maximum !== null && (
          <span class="soft">
            {t("settings.range", { least: number(setting.minimum), most: number(setting.maximum) })}
          </span>
        )}
        <code class="soft">{key}</code>
        {isWaiting(setting) && draft === undefined && <span class="badge warn">{t("settings.waits")}</span>}
        {setting.restart && draft !== undefined && <span class="badge">{t("settings.needsRestart")}</span>}
        {draft !== undefined && <span class="badge watch">{t("settings.changed")}</span>}
        {changeable && !isDefault && (
          <button type="button" class="button plain small" onClick={() => onChange(null)}>
            {t("settings.toDefault", { value: shownDefault(setting) })}
          </button>
        )}
      </span>
    </div>
  );
}

function shownDefault({ key, default: byDefault, choices }: Setting): string {
  if (typeof byDefault === "boolean") return t(byDefault ? "quick.on" : "quick.off");
  const text = String(typed(byDefault));
  if (text === "") return t("settings.empty");
  return choices === null ? text : choiceName(key, text);
}
