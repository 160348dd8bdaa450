import { useEffect, useMemo, useState } from "preact/hooks";
import { post } from "../../../console/api.ts";
import { Card, Empty, Notice, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { copyText } from "../../../console/components/copy.ts";
import { Form } from "../../../console/components/dialog.tsx";
import { SelectField, TextField } from "../../../console/components/field.tsx";
import { SearchField } from "../../../console/components/search-field.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { say } from "../../../console/components/toast.tsx";
import { bytes, clockTime, t } from "../../../console/i18n/translate.ts";
import type { SeenMessage } from "../api/console-mqtt.ts";
import { type Branch, treeOf } from "./topic-branches.ts";

type Seen = ReadonlyMap<string, SeenMessage>;

/** Topics of the broker with their last messages, while somebody looks, and a form for publishing. */
export function ExplorerPage() {
  const [isLooking, setLooking] = useState(false);
  const { seen, state } = useMessages(isLooking);
  const [wanted, setWanted] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  useEffect(() => {
    if (state === "ended" || state === "refused") setLooking(false);
  }, [state]);
  const text = wanted.trim().toLowerCase();
  const tree = useMemo(
    () => treeOf([...seen.keys()].filter((topic) => topic.toLowerCase().includes(text))),
    [seen, text],
  );
  const message = chosen === null ? undefined : seen.get(chosen);
  return (
    <>
      <PageHead title={t("explorer.title")} subtitle={t("explorer.subtitle")}>
        <Button
          look={isLooking ? undefined : "primary"}
          text={t(isLooking ? "explorer.stop" : "explorer.look")}
          onClick={() => setLooking(!isLooking)}
        />
      </PageHead>
      <Tabs of="/system" here="/system/mqtt" />
      <p class="soft small">
        {t("explorer.what")} <a href="/help/glossary">{t("help.glossary")}</a>
      </p>
      {state === "ended" && <Notice tone="warn">{t("explorer.ended")}</Notice>}
      {state === "refused" && <Notice tone="bad">{t("explorer.refused")}</Notice>}
      <div class="columns even">
        <Card title={t("explorer.topics")}>
          {seen.size === 0 ? (
            <Empty icon="activity" text={t(isLooking ? "explorer.nothingYet" : "explorer.notLooking")} />
          ) : (
            <>
              <SearchField label={t("explorer.search")} value={wanted} onInput={setWanted} />
              <Branches branches={tree} seen={seen} chosen={chosen} isOpen={text !== ""} onChoose={setChosen} />
            </>
          )}
        </Card>
        <div class="stack home-side">
          {message !== undefined && <LastMessage message={message} />}
          <Publish chosen={chosen ?? ""} />
        </div>
      </div>
    </>
  );
}

/**
 * The messages published while `isLooking`. The stream ends with the page, and after a time limit. Each window has
 * its own, because each starts with what the broker holds; the hub allows three at a time, which leaves a browser
 * connections for everything else.
 */
function useMessages(isLooking: boolean): { seen: Seen; state: "" | "ended" | "refused" } {
  const [seen, setSeen] = useState<Seen>(new Map());
  const [state, setState] = useState<"" | "ended" | "refused">("");
  useEffect(() => {
    if (!isLooking) return;
    setSeen(new Map());
    setState("");
    const source = new EventSource("/api/mqtt/stream");
    source.addEventListener("messages", (event) => {
      const more = JSON.parse(event.data) as readonly SeenMessage[]; // the hub sends its own shape
      setSeen((known) => new Map([...known, ...more.map((message) => [message.topic, message] as const)]));
    });
    source.addEventListener("ended", () => {
      source.close();
      setState("ended");
    });
    source.onerror = () => {
      // otherwise the browser connects again by itself
      if (source.readyState === EventSource.CLOSED) setState("refused");
    };
    return () => source.close();
  }, [isLooking]);
  return { seen, state };
}

interface BranchesProps {
  readonly branches: readonly Branch[];
  readonly seen: Seen;
  readonly chosen: string | null;
  readonly isOpen: boolean;
  readonly onChoose: (topic: string) => void;
}

function Branches({ branches, ...rest }: BranchesProps) {
  return (
    <ul class="topic-tree">
      {branches.map((branch) => (
        <li key={branch.topic}>
          <OneBranch branch={branch} {...rest} />
        </li>
      ))}
    </ul>
  );
}

/** A level of the topics; what is below it is drawn once it is opened. */
function OneBranch({ branch, ...rest }: Omit<BranchesProps, "branches"> & { branch: Branch }) {
  const [isOpened, setOpened] = useState(false);
  const { seen, chosen, isOpen, onChoose } = rest;
  const message = seen.get(branch.topic);
  const isShown = isOpen || isOpened;
  return (
    <>
      <div class="row topic-row">
        {branch.branches.length > 0 && (
          <button
            type="button"
            class="topic-toggle"
            aria-expanded={isShown}
            aria-label={branch.topic}
            onClick={() => setOpened(!isShown)}
          >
            {isShown ? "▾" : "▸"}
          </button>
        )}
        {message === undefined ? (
          <span class="topic-name">
            {branch.name} <span class="soft small">{t("explorer.below", { n: branch.size })}</span>
          </span>
        ) : (
          <button
            type="button"
            class="topic-name topic-choice"
            aria-pressed={chosen === branch.topic}
            onClick={() => onChoose(branch.topic)}
          >
            <strong>{branch.name}</strong> <span class="soft small ellipsis">{payloadText(message)}</span>
          </button>
        )}
        {message?.retained === true && <span class="badge">{t("explorer.retained")}</span>}
      </div>
      {isShown && branch.branches.length > 0 && <Branches branches={branch.branches} {...rest} />}
    </>
  );
}

function payloadText({ payload, bytes: size }: SeenMessage): string {
  return payload ?? t("explorer.binary", { size: bytes(size) });
}

function LastMessage({ message }: { message: SeenMessage }) {
  return (
    <Card
      title={t("explorer.last")}
      action={<Button look="plain" text={t("secret.copy")} onClick={() => void copyText(message.payload ?? "")} />}
    >
      <code>{message.topic}</code>
      <pre class="secret">{payloadText(message)}</pre>
      {message.payload !== null && message.payload.length < message.bytes && (
        <p class="soft small">{t("explorer.cut", { size: bytes(message.bytes) })}</p>
      )}
      <p class="soft small">
        {[
          message.at === null ? t("explorer.before") : clockTime(message.at),
          t(message.from === "hub" ? "explorer.fromHub" : "explorer.fromClient"),
          `QoS ${message.qos}`,
          ...(message.retained ? [t("explorer.retained")] : []),
          ...(message.count > 0 ? [t("explorer.count", { n: message.count })] : []),
        ].join(" · ")}
      </p>
    </Card>
  );
}

/** `chosen`: the selected topic; the form uses it until a person types another. */
function Publish({ chosen }: { chosen: string }) {
  const [typed, setTyped] = useState<string | null>(null);
  const topic = typed ?? chosen;
  const [payload, setPayload] = useState("");
  const [qos, setQos] = useState("0");
  const send = async (): Promise<void> => {
    await post("/api/mqtt/publish", { body: { topic, payload, qos: Number(qos) } });
    setTyped(null);
    say(t("explorer.published"));
  };
  return (
    <Card title={t("explorer.publish")}>
      <p class="soft small">{t("explorer.publishText")}</p>
      <Form isPassing submit={t("explorer.send")} send={send}>
        {(errors) => (
          <>
            <TextField
              label={t("explorer.topic")}
              value={topic}
              onInput={setTyped}
              error={errors.topic}
              maxLength={512}
              required
            />
            <TextField
              label={t("explorer.payload")}
              value={payload}
              onInput={setPayload}
              error={errors.payload}
              maxLength={16_384}
            />
            <SelectField
              label={t("explorer.qos")}
              value={qos}
              onChange={setQos}
              options={[
                ["0", t("explorer.qos0")],
                ["1", t("explorer.qos1")],
              ]}
            />
          </>
        )}
      </Form>
    </Card>
  );
}
