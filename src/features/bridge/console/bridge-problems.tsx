import { useState } from "preact/hooks";
import { Card } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Confirm } from "../../../console/components/dialog.tsx";
import { dateTime, t } from "../../../console/i18n/translate.ts";
import type { BridgeProblem, OrphanedTopics } from "./bridge-model.ts";

/** Messages of other makes' devices that could not be understood. */
export function ProblemsCard({ problems, onClear }: { problems: readonly BridgeProblem[]; onClear: () => void }) {
  return (
    <Card title={t("bridge.problems")} action={<Button look="plain" text={t("bridge.clear")} onClick={onClear} />}>
      <ul class="list">
        {problems.map((problem) => (
          <li key={`${problem.topic} ${problem.reason}`}>
            <div class="grow">
              <p>{problem.reason}</p>
              <p class="soft small">
                <code>{problem.topic}</code> · {t("bridge.times", { n: problem.count })} · {dateTime(problem.lastAt)}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Retained messages that no device holds any more. */
export function OrphanedTopicsCard({
  orphanedTopics: { ghosts: orphanedTopics, total },
  onClear,
}: {
  orphanedTopics: OrphanedTopics;
  onClear: () => void;
}) {
  const [asking, setAsking] = useState(false);
  return (
    <Card
      title={t("bridge.ghosts")}
      action={<Button look="plain" text={t("bridge.clear")} onClick={() => setAsking(true)} />}
    >
      <p class="soft small">{t("bridge.ghostsText", { n: total })}</p>
      {orphanedTopics.length > 0 && (
        <details class="group">
          <summary>{t("bridge.showTopics")}</summary>
          <ul class="list">
            {orphanedTopics.slice(0, 100).map((topic) => (
              <li key={topic.topic}>
                <code class="grow">{topic.topic}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
      {asking && (
        <Confirm
          title={t("bridge.ghosts")}
          text={t("bridge.clearGhostsText", { n: total })}
          action={t("bridge.clear")}
          danger
          onYes={async () => onClear()}
          onClose={() => setAsking(false)}
        />
      )}
    </Card>
  );
}
