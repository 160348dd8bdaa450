import { useState } from "preact/hooks";
import { put } from "../../../console/api.ts";
import { Notice } from "../../../console/components/basics.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { CheckField, SelectField, TextField } from "../../../console/components/field.tsx";
import { PasswordField } from "../../../console/components/password-field.tsx";
import { say } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { SeriesCard } from "./series.tsx";

/** The same in every language. */
const EXAMPLE = "http://192.168.1.20:8086";

/** Where samples are sent. An existing secret is not shown; leaving its field empty keeps it. */
export function InfluxForm({ series, onChange }: SeriesCard) {
  const { influx } = series;
  const [form, setForm] = useState({
    enabled: influx?.enabled ?? true,
    version: influx?.version ?? ("2" as const),
    url: influx?.url ?? "",
    database: influx?.database ?? "",
    user: influx?.user ?? "",
    org: influx?.org ?? "",
    bucket: influx?.bucket ?? "",
    home: influx?.home ?? series.suggestedHome.slice(0, 64),
  });
  const [begin, setBegin] = useState<"now" | "kept" | "resume">(influx === null ? "now" : "resume");
  const [secret, setSecret] = useState("");
  const isFirst = form.version === "1";
  const send = async (): Promise<void> => {
    const body = { ...form, url: form.url.trim(), begin, ...(secret === "" ? {} : { secret }) };
    onChange((await put("/api/series/influx", { body })).series);
    setSecret("");
    setBegin("resume");
    say(t("action.saved"));
  };
  return (
    <Form submit={t("action.save")} send={send}>
      {(errors) => (
        <>
          <CheckField
            label={t("series.enabled")}
            checked={form.enabled}
            onChange={(enabled) => setForm({ ...form, enabled })}
          />
          <SelectField
            label={t("series.version")}
            hint={t("series.versionHint")}
            value={form.version}
            options={[
              ["2", t("series.version2")],
              ["1", t("series.version1")],
            ]}
            onChange={(version) => setForm({ ...form, version })}
          />
          <TextField
            label={t("series.url")}
            hint={t("series.urlHint")}
            type="url"
            placeholder={EXAMPLE}
            value={form.url}
            onInput={(url) => setForm({ ...form, url })}
            error={errors.url}
          />
          {isFirst ? (
            <>
              <TextField
                label={t("series.database")}
                value={form.database}
                onInput={(database) => setForm({ ...form, database })}
                error={errors.database}
              />
              <TextField
                label={t("series.user")}
                hint={t("series.userHint")}
                value={form.user}
                onInput={(user) => setForm({ ...form, user })}
                error={errors.user}
              />
            </>
          ) : (
            <>
              <TextField
                label={t("series.org")}
                value={form.org}
                onInput={(org) => setForm({ ...form, org })}
                error={errors.org}
              />
              <TextField
                label={t("series.bucket")}
                value={form.bucket}
                onInput={(bucket) => setForm({ ...form, bucket })}
                error={errors.bucket}
              />
            </>
          )}
          <PasswordField
            label={t(isFirst ? "series.password" : "series.token")}
            {...(influx?.hasSecret === true ? { hint: t("channels.kept") } : {})}
            autocomplete="new-password"
            value={secret}
            onInput={setSecret}
            error={errors.secret}
          />
          {/^http:/i.test(form.url.trim()) && <Notice tone="warn">{t("series.clear")}</Notice>}
          <TextField
            label={t("series.home")}
            hint={t("series.homeHint")}
            value={form.home}
            maxLength={64}
            onInput={(home) => setForm({ ...form, home })}
            error={errors.home}
          />
          <SelectField
            label={t("series.begin")}
            value={begin}
            options={[
              ...(influx === null ? [] : [["resume", t("series.beginResume")] as const]),
              ["now", t("series.beginNow")] as const,
              ["kept", t("series.beginKept")] as const,
            ]}
            onChange={setBegin}
          />
        </>
      )}
    </Form>
  );
}
