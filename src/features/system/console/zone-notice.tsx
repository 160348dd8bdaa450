import { useState } from "preact/hooks";
import { patch } from "../../../console/api.ts";
import { Card } from "../../../console/components/basics.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { TimeZoneField } from "../../../console/components/time-zone.tsx";
import { say } from "../../../console/components/toast.tsx";
import { houseZone, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { knowSite, loaded } from "../../../console/store.ts";

type Site = AnswerTo<"GET", "/api/site">["site"];

/** Asks for the house's time zone until it is set, and suggests the browser's. */
export function ZoneNotice({ onAnswered }: { onAnswered?: (site: Site) => void }) {
  const [zone, setZone] = useState(Intl.DateTimeFormat().resolvedOptions().timeZone);
  if (!loaded.value || houseZone.value !== undefined) return null;
  const send = async (): Promise<void> => {
    const { site } = await patch("/api/site", { body: { timeZone: zone } });
    knowSite(site);
    onAnswered?.(site);
    say(t("action.saved"));
  };
  return (
    <Card title={t("zone.title")}>
      <p class="soft small">{t("zone.text")}</p>
      <Form submit={t("action.save")} send={send}>
        {(errors) => <TimeZoneField value={zone} onChange={setZone} error={errors.timeZone} />}
      </Form>
      <p class="small">
        <a href="/system/site">{t("zone.place")}</a>
      </p>
    </Card>
  );
}
