import { useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Card, Empty, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { byDay } from "../../../console/components/by-day.ts";
import { useLoaded } from "../../../console/components/loaded.ts";
import { usePlaceName } from "../../../console/components/place-field.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { dayName, t, timeOfDay } from "../../../console/i18n/translate.ts";
import { type AuditLine, ofHousehold, sentencesOf } from "./audit-words.ts";

/** Lines that are loaded at a time: about two screens of a phone. */
const STEP = 25;

/** Who did what, by day, newest first; older lines follow when they are asked for. */
export function AuditPage() {
  const [first] = useLoaded(async () => (await get("/api/audit", { query: { limit: STEP } })).audit);
  const [older, setOlder] = useState<readonly AuditLine[]>([]);
  const [isAtEnd, setAtEnd] = useState(false);
  const placeName = usePlaceName();
  const lines = [...(first ?? []), ...older];
  const before = lines.at(-1)?.id;
  const loadOlder = async (): Promise<void> => {
    try {
      const { audit } = await get("/api/audit", {
        query: { limit: 2 * STEP, ...(before === undefined ? {} : { before }) },
      });
      setOlder([...older, ...audit]);
      setAtEnd(audit.length < 2 * STEP);
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <>
      <PageHead title={t("system.audit")} subtitle={t("audit.subtitle")} />
      <Tabs of="/system" here="/system/audit" />
      {first === null ? (
        <p aria-busy="true">{t("state.loading")}</p>
      ) : (
        <Card>
          {lines.length === 0 && <Empty icon="list" text={t("audit.none")} />}
          {byDay(ofHousehold(lines), ({ at }) => dayName(at)).map(({ name, things }) => (
            <section key={name} class="audit-day">
              <h2 class="audit-day-name">{name}</h2>
              <ul class="list tight">
                {things.map((line) => (
                  <li key={line.id}>
                    <time class="soft small numbers" dateTime={line.at}>
                      {timeOfDay(line.at)}
                    </time>
                    <div class="grow">
                      {sentencesOf(line, placeName).map((sentence) => (
                        <p key={sentence}>{sentence}</p>
                      ))}
                    </div>
                  </li>
                ))}
              </ul>
            </section>
          ))}
          {first.length === STEP && !isAtEnd && <Button text={t("feed.more")} onClick={() => void loadOlder()} />}
        </Card>
      )}
    </>
  );
}
