import { useEffect, useState } from "preact/hooks";
import { get } from "../api.js";
import { Card } from "../components/basics.js";
import { dateTime, t } from "../i18n/translate.js";

/** One run of a rule as the hub recorded it. */
interface Trace {
  readonly id: number;
  readonly at: string;
  readonly [member: string]: unknown;
}

/** The last runs of a rule, and why it did not run when it did not. */
export function AutomationTraces({ id }: { id: number }) {
  const [traces, setTraces] = useState<readonly Trace[]>([]);
  useEffect(() => {
    void get<{ traces: Trace[] }>(`/api/automations/${id}/traces`)
      .then((answer) => setTraces(answer.traces))
      .catch(() => setTraces([]));
  }, [id]);
  return (
    <Card title={t("trace.title")}>
      {traces.length === 0 ? (
        <p class="soft">{t("trace.none")}</p>
      ) : (
        <ul class="list">
          {traces.map((trace) => (
            <li key={trace.id}>
              <div class="grow">
                <time dateTime={trace.at}>{dateTime(trace.at)}</time>
                <code class="secret">{JSON.stringify(trace)}</code>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
