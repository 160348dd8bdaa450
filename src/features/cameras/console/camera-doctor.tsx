import { useEffect, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Card } from "../../../console/components/basics.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { clockText, number, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { type GateRead, reads } from "../../../console/store.ts";
import { surenessText } from "../../gate/console/read-pane.tsx";
import { picturesOf } from "../../gate/rules/read-picture.ts";
import "./camera-doctor.css";

type Diagnosis = AnswerTo<"GET", "/api/cameras/{id}/doctor">["diagnosis"];
type Hour = Diagnosis["hours"][number];

/** What is good enough, for the marks of the table. */
const GOOD = { letterPx: 15, smear: 0.17, light: 78, tilt: 9, glare: 30 };
/** Pictures that were not read, at most. */
const MISSED_SHOWN = 8;
/** Once this many in a row were read, the others are no longer of interest. */
const READ_IN_A_ROW = 20;

/** What to change about a camera in one sentence each, and the figures behind it by hour of the day. */
export function CameraDoctor({ deviceId }: { deviceId: string }) {
  const [diagnosis, setDiagnosis] = useState<Diagnosis | null>(null);
  const newest = reads.value.find((read) => read.deviceId === deviceId)?.id;
  useEffect(() => {
    void get("/api/cameras/{id}/doctor", { params: { id: deviceId } })
      .then((answer) => setDiagnosis(answer.diagnosis))
      .catch(() => {}); // a part of the page that nobody waits for
  }, [deviceId, newest]);
  if (diagnosis === null || diagnosis.bursts === 0) return null;
  const { advice, hours, plates, empty, bursts } = diagnosis;
  const isEmpty = empty >= 5 && empty > bursts / 2;
  return (
    <Card title={t("doctor.title")}>
      <ul class="doctor">
        {isEmpty && (
          <li data-tone="warn">
            <Icon name="circleAlert" />
            <p>{t("doctor.empty", { n: empty, all: bursts })}</p>
          </li>
        )}
        {advice.map(({ code, share, hours: when, values }) => (
          <li key={code} data-tone="warn">
            <Icon name="circleAlert" />
            <p>
              <strong>{t(`advice.${code}`, values)}</strong>{" "}
              <span class="soft">
                {when === null
                  ? t("doctor.share", { share })
                  : t("doctor.shareHours", { share, from: hourText(when.from), to: hourText(when.to) })}
              </span>
            </p>
          </li>
        ))}
        {advice.length === 0 && !isEmpty && (
          <li data-tone="good">
            <Icon name="circleCheck" />
            <p>{plates < 3 ? t("doctor.tooFew") : t("doctor.good", { n: plates })}</p>
          </li>
        )}
      </ul>
      {hours.length > 0 && (
        <details class="group">
          <summary>{t("doctor.figures")}</summary>
          <HourTable hours={hours} />
        </details>
      )}
      <Missed deviceId={deviceId} />
    </Card>
  );
}

function HourTable({ hours }: { hours: readonly Hour[] }) {
  return (
    <div class="table-wrap">
      <table class="table doctor-hours">
        <thead>
          <tr>
            <th scope="col">{t("doctor.hour")}</th>
            <th scope="col">{t("doctor.read")}</th>
            <th scope="col">{t("doctor.letters")}</th>
            <th scope="col">{t("doctor.smear")}</th>
            <th scope="col">{t("doctor.glare")}</th>
            <th scope="col">{t("doctor.light")}</th>
            <th scope="col">{t("doctor.tilt")}</th>
          </tr>
        </thead>
        <tbody>
          {hours.map(({ hour, plates, read, letterPx, smear, glare, light, tilt }) => (
            <tr key={hour}>
              <th scope="row">{hourText(hour)}</th>
              <td>{`${read} / ${plates}`}</td>
              <td data-bad={letterPx < GOOD.letterPx}>{`${letterPx} px`}</td>
              <td data-bad={smear >= GOOD.smear}>{`${number(smear * 100, 0)} %`}</td>
              <td data-bad={glare >= GOOD.glare}>{`${glare} %`}</td>
              <td data-bad={light < GOOD.light}>{`${number((light / 255) * 100, 0)} %`}</td>
              <td data-bad={Math.abs(tilt) >= GOOD.tilt}>{`${tilt}°`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What was seen and not read, with the reason. It ends by itself: with a week's time, or a row of good reads. */
function Missed({ deviceId }: { deviceId: string }) {
  const [missed, setMissed] = useState<readonly GateRead[]>([]);
  const own = reads.value.filter((read) => read.deviceId === deviceId).slice(0, READ_IN_A_ROW);
  const isOver = own.length === READ_IN_A_ROW && own.every(({ status }) => status === "recognised");
  useEffect(() => {
    const since = new Date(Date.now() - 7 * 86_400_000).toISOString();
    void get("/api/reads", { query: { deviceId, status: "unrecognised", since, limit: MISSED_SHOWN } })
      .then((answer) => setMissed(answer.reads.filter(({ hasImage }) => hasImage)))
      .catch(() => {});
  }, [deviceId, own[0]?.id]);
  if (missed.length === 0 || isOver) return null;
  return (
    <section class="stack" aria-label={t("doctor.missed")}>
      <h3>{t("doctor.missed")}</h3>
      <ul class="missed">
        {missed.map((read) => (
          <li key={read.id}>
            <a href={`/gate/reads/${read.id}`}>
              <img
                key={picturesOf(read).whole}
                src={picturesOf(read).whole}
                alt=""
                loading="lazy"
                width="160"
                height="90"
              />
              <span class="small">{surenessText(read)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function hourText(hour: number): string {
  return clockText(`${String(hour).padStart(2, "0")}:00`);
}
