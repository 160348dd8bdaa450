import { useState } from "preact/hooks";
import { get, put } from "../../../console/api.ts";
import { Card, Notice, PageHead, Switch, TryAgain } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { copyText } from "../../../console/components/copy.ts";
import { Form } from "../../../console/components/dialog.tsx";
import { CheckField } from "../../../console/components/field.tsx";
import { FoldCard } from "../../../console/components/fold-card.tsx";
import { usePolled } from "../../../console/components/polled.ts";
import { Tabs } from "../../../console/components/tabs.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { recordedText } from "../../../console/i18n/hub-texts.ts";
import { ago, number, type TextKey, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { deviceList } from "../../../console/store.ts";
import { InfluxForm } from "./series-influx.tsx";

/** Long-term series as the hub reports them. */
export type Series = AnswerTo<"GET", "/api/series">["series"];

/** Properties of every card of the page. */
export interface SeriesCard {
  readonly series: Series;
  readonly onChange: (series: Series) => void;
}

/** The same in every language. */
const NAMES = { influx: "InfluxDB", prometheus: "Prometheus" };
/** A next attempt within this time is not mentioned. */
const MINUTE_MS = 60_000;
const STATES: Readonly<Record<Series["export"]["state"], readonly [TextKey, string]>> = {
  off: ["series.off", "badge"],
  clock: ["series.clock", "badge warn"],
  sending: ["series.sending", "badge good"],
  catchingUp: ["series.catchingUp", "badge warn"],
  waiting: ["series.waiting", "badge bad"],
};

const lookUp = async (): Promise<Series> => (await get("/api/series")).series;

/** Long-term storage elsewhere: InfluxDB, Prometheus, and the choice of devices. */
export function SeriesPage() {
  const { value: series, failed, set: setSeries, again } = usePolled(lookUp);
  return (
    <>
      <PageHead title={t("series.title")} subtitle={t("series.subtitle")} />
      <Tabs of="/system" here="/system/series" />
      {failed && series === null && <TryAgain text={t("series.failed")} onTry={again} />}
      {series === null && !failed && <p aria-busy="true">{t("state.loading")}</p>}
      {series !== null && (
        <div class="columns">
          <div class="stack home-main">
            <InfluxCard series={series} onChange={setSeries} />
            <PrometheusCard series={series} onChange={setSeries} />
          </div>
          <div class="stack home-side">
            <DevicesCard series={series} onChange={setSeries} />
            <Card title={t("series.file")}>
              <p>{t("series.fileText")}</p>
              <div class="row">
                <a class="button" href="/history">
                  {t("series.toHistory")}
                </a>
              </div>
            </Card>
          </div>
        </div>
      )}
    </>
  );
}

function InfluxCard({ series, onChange }: SeriesCard) {
  const { state, lastSentAt, sent, refused, behindSince, nextTryAt, problem, words } = series.export;
  const [text, tone] = STATES[state];
  const why = problem === null ? "" : recordedText("detail", words, problem);
  return (
    <Card title={NAMES.influx} action={<span class={tone}>{t(text)}</span>}>
      <p class="soft">{t("series.influxText")}</p>
      {state === "waiting" && (
        <Notice tone="warn">
          <p>{t("series.waits", { why })}</p>
          {nextTryAt !== null && Date.parse(nextTryAt) > Date.now() + MINUTE_MS && (
            <p>{t("series.next", { when: ago(nextTryAt) })}</p>
          )}
        </Notice>
      )}
      {state !== "waiting" && why !== "" && <Notice tone="warn">{t("series.refusedWhy", { n: refused, why })}</Notice>}
      {state !== "off" && (
        <dl class="facts">
          <dt>{t("series.last")}</dt>
          <dd>{lastSentAt === null ? t("series.never") : ago(lastSentAt)}</dd>
          <dt>{t("series.behind")}</dt>
          <dd>{behindSince === null ? t("series.notBehind") : ago(behindSince)}</dd>
          <dt>{t("series.sent")}</dt>
          <dd>{number(sent)}</dd>
        </dl>
      )}
      <details key={String(series.influx === null)} class="group">
        <summary>{t(series.influx === null ? "series.setUp" : "series.change")}</summary>
        <InfluxForm series={series} onChange={onChange} />
      </details>
    </Card>
  );
}

function PrometheusCard({ series, onChange }: SeriesCard) {
  const [isSwitching, setSwitching] = useState(false);
  const { enabled, path } = series.prometheus;
  const toggle = async (on: boolean): Promise<void> => {
    setSwitching(true);
    try {
      onChange((await put("/api/series/prometheus", { body: { enabled: on } })).series);
    } catch (error) {
      sayError(error);
    }
    setSwitching(false);
  };
  const address = `${location.origin}${path}`;
  return (
    <Card title={NAMES.prometheus}>
      <div class="row between">
        <p class="soft grow">{t("series.prometheusText")}</p>
        <Switch
          label={t("series.prometheusSwitch")}
          on={enabled}
          pending={isSwitching}
          disabled={isSwitching}
          onToggle={(on) => void toggle(on)}
        />
      </div>
      {enabled && (
        <>
          <p>{t("series.prometheusKey")}</p>
          <div class="row">
            <code class="secret grow">{address}</code>
            <Button text={t("secret.copy")} onClick={() => void copyText(address)} />
          </div>
          <div class="row">
            <a class="button" href="/developer">
              {t("series.makeKey")}
            </a>
          </div>
        </>
      )}
    </Card>
  );
}

function DevicesCard({ series, onChange }: SeriesCard) {
  const [drafted, setLeftOut] = useState<ReadonlySet<string> | null>(null);
  const leftOut = drafted ?? new Set(series.leftOut);
  const send = async (): Promise<void> => {
    const known = [...leftOut].filter((id) => deviceList.value.some((device) => device.id === id));
    onChange((await put("/api/series/devices", { body: { leftOut: known } })).series);
    setLeftOut(null);
    say(t("action.saved"));
  };
  const told = deviceList.value.filter(({ id }) => !leftOut.has(id)).length;
  return (
    <FoldCard
      title={t("series.devices")}
      value={t("series.told", { n: told, all: deviceList.value.length })}
      starts="folded"
    >
      <p class="soft small">{t("series.devicesText")}</p>
      <Form submit={t("action.save")} send={send}>
        {() => (
          <div class="stack">
            {deviceList.value.map(({ id, name }) => (
              <CheckField
                key={id}
                label={name}
                checked={!leftOut.has(id)}
                onChange={(isTold) =>
                  setLeftOut(new Set(isTold ? [...leftOut].filter((one) => one !== id) : [...leftOut, id]))
                }
              />
            ))}
          </div>
        )}
      </Form>
    </FoldCard>
  );
}
