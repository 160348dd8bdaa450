import { useEffect, useState } from "preact/hooks";
import { get, post } from "../../../console/api.ts";
import { Card, Empty, Notice, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Confirm, Form } from "../../../console/components/dialog.tsx";
import { FileField } from "../../../console/components/field.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { sendFile } from "../../../console/components/upload.ts";
import { recordedText } from "../../../console/i18n/hub-texts.ts";
import { ago, bytes, dateTime, type TextKey, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import type { FoundUpdate } from "../api/console-updates.ts";

type Updates = AnswerTo<"GET", "/api/updates">["updates"];

/** How often to poll while an update is under way, also across the restart. */
const ASK_MS = 3_000;
const UNDER_WAY: ReadonlySet<string> = new Set(["waiting", "installing", "trial"]);
const PHASES: Readonly<Record<Updates["state"]["phase"], readonly [TextKey, string]>> = {
  none: ["phase.none", "badge"],
  waiting: ["phase.waiting", "badge warn"],
  installing: ["phase.installing", "badge warn"],
  trial: ["phase.trial", "badge warn"],
  committed: ["phase.committed", "badge good"],
  "rolled-back": ["phase.rolledBack", "badge bad"],
  failed: ["phase.failed", "badge bad"],
};

/** The running version, installing another, going back. */
export function UpdatesPage() {
  const [updates, setUpdates] = useState<Updates | null>(null);
  const [rollingBack, setRollingBack] = useState(false);
  const isUnderWay = updates !== null && UNDER_WAY.has(updates.state.phase);
  const load = (): void =>
    void get("/api/updates")
      .then((answer) => setUpdates(answer.updates))
      .catch((error) => (isUnderWay ? undefined : sayError(error))); // it is restarting
  useEffect(load, []);
  useEffect(() => {
    if (!isUnderWay) return;
    const timer = setInterval(load, ASK_MS);
    return () => clearInterval(timer);
  }, [isUnderWay]);
  const install = async (body: object): Promise<void> => setUpdates((await post("/api/updates", { body })).updates);
  return (
    <>
      <PageHead
        title={t("update.title")}
        subtitle={updates === null ? "" : t("update.running", { version: updates.version })}
      />
      <Tabs of="/system" here="/system/updates" />
      {updates !== null && !updates.managed && <Notice tone="warn">{t("update.notManaged")}</Notice>}
      {updates !== null && updates.state.phase !== "none" && <StateCard state={updates.state} />}
      {updates?.managed === true && (
        <div class="columns">
          <div class="stack home-main">
            <InstallCard disabled={isUnderWay} onInstall={install} />
            <FoundCard
              found={updates.found}
              disabled={isUnderWay}
              onInstall={(file) => void install({ file }).catch(sayError)}
            />
          </div>
          <div class="stack home-side">
            <Card title={t("update.installed")}>
              <ul class="list">
                {updates.installed.map((version) => (
                  <li key={version}>
                    <span class="grow">{version}</span>
                    {version === updates.version && <span class="badge good">{t("update.now")}</span>}
                  </li>
                ))}
              </ul>
              <Button
                look="danger"
                text={t("update.rollBack")}
                disabled={!updates.canRollBack || isUnderWay}
                onClick={() => setRollingBack(true)}
              />
            </Card>
          </div>
        </div>
      )}
      {rollingBack && (
        <Confirm
          title={t("update.rollBack")}
          text={t("update.rollBackText")}
          action={t("update.rollBack")}
          danger
          onYes={async () => setUpdates((await post("/api/updates/rollback")).updates)}
          onClose={() => setRollingBack(false)}
        />
      )}
    </>
  );
}

function StateCard({ state }: { state: Updates["state"] }) {
  const [word, tone] = PHASES[state.phase];
  return (
    <Card title={t("update.last")} action={<span class={tone}>{t(word)}</span>}>
      <p>{recordedText("detail", state.words, state.text)}</p>
      <p class="soft small">
        {[
          state.from === null ? null : `${state.from} → ${state.version ?? ""}`,
          state.at === null ? null : ago(state.at),
        ]
          .filter((part) => part !== null)
          .join(" · ")}
      </p>
      {UNDER_WAY.has(state.phase) && <progress class="gauge" aria-label={t("update.progress")} />}
    </Card>
  );
}

function InstallCard({ disabled, onInstall }: { disabled: boolean; onInstall: (body: object) => Promise<void> }) {
  const [file, setFile] = useState<File | null>(null);
  const [share, setShare] = useState<number | null>(null);
  const send = async (): Promise<void> => {
    if (file === null) return say(t("update.choose"));
    setShare(0);
    try {
      await onInstall({
        uploadId: await sendFile(file, (bytes) => post("/api/uploads", { body: { kind: "update", bytes } }), setShare),
      });
    } finally {
      setShare(null);
    }
  };
  return (
    <Card title={t("update.install")}>
      <p class="soft small">{t("update.installText")}</p>
      <Form submit={t("update.installNow")} send={send} disabled={disabled}>
        {() => (
          <>
            <FileField
              label={t("update.file")}
              hint={t("update.fileHint")}
              accept=".gatehouse,.tar,.zst,.gz,application/octet-stream"
              onFiles={([first]) => setFile(first ?? null)}
            />
            {share !== null && <progress class="gauge" max={1} value={share} aria-label={t("upload.progress")} />}
          </>
        )}
      </Form>
    </Card>
  );
}

function FoundCard({
  found,
  disabled,
  onInstall,
}: {
  found: readonly FoundUpdate[];
  disabled: boolean;
  onInstall: (file: string) => void;
}) {
  return (
    <Card title={t("update.found")}>
      {found.length === 0 && <Empty icon="cpu" text={t("update.noneFound")} />}
      <ul class="list tooled">
        {found.map((one) => (
          <li key={one.file}>
            <div class="grow">
              <p>{one.version || one.file.split("/").at(-1)}</p>
              <p class="soft small">
                {[dateTime(one.builtAt), bytes(one.bytes), recordedText("detail", one.words, one.text)].join(" · ")}
              </p>
            </div>
            <div class="tools">
              <Button
                text={t("update.installNow")}
                disabled={!one.fits || disabled}
                onClick={() => onInstall(one.file)}
              />
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
