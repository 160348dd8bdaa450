import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, get, post, put, remove } from "../../../console/api.ts";
import { Notice } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { TextField, takeFiles } from "../../../console/components/field.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { devices } from "../../../console/store.ts";
import { AfterGate } from "../../gate/console/set-up.tsx";

type Join = AnswerTo<"GET", "/api/matter/joins">["join"];

const LOOK_EVERY_MS = 700;
/** How long Matter may take to start on a small board that is busy. */
const STARTED_MS = 60_000;

/** Steps in the order in which they come. */
const STEPS = [
  ["looking", "matterJoin.looking"],
  ["joining", "matterJoin.joining"],
  ["reading", "matterJoin.reading"],
] as const satisfies readonly (readonly [Join["state"], TextKey])[];

const FAILURES: Readonly<Record<NonNullable<Join["failure"]>, TextKey>> = {
  not_found: "matterJoin.notFound",
  wrong_code: "matterJoin.wrongCode",
  refused: "matterJoin.refused",
  full: "matterJoin.full",
  cancelled: "matterJoin.cancelled",
  failed: "matterJoin.failed",
  unavailable: "matterJoin.unavailable",
};

function isUnderWay(join: Join | null): boolean {
  return join !== null && STEPS.some(([step]) => step === join.state);
}

/** Whether a device was joining at the last look: its outcome is still to be shown. */
const isOutcomeOwed = signal(false);

/**
 * Lets a Matter device join by its code, and follows it until it is there. When the dialog is opened, it shows the
 * device that is joining, or the outcome since the dialog was closed.
 */
export function JoinMatterDevice({ onClose }: { onClose: () => void }) {
  const [join, setJoin] = useState<Join | null>(null);
  const [code, setCode] = useState("");
  const [isOff, setOff] = useState(false);
  const [isStarting, setStarting] = useState(false);
  /** An outcome that was shown before is not shown again. */
  const [hasBegun, setBegun] = useState(isOutcomeOwed.value);
  const going = isUnderWay(join);
  useEffect(() => {
    let isGone = false;
    const look = (): void =>
      void get("/api/matter/joins").then(
        (answer) => {
          if (isGone) return;
          isOutcomeOwed.value = isUnderWay(answer.join);
          if (isOutcomeOwed.value) setBegun(true);
          setJoin(answer.join);
        },
        () => {}, // polled again soon
      );
    look();
    const timer = setInterval(look, LOOK_EVERY_MS);
    return () => {
      isGone = true;
      clearInterval(timer);
    };
  }, []);
  const send = async (): Promise<void> => {
    try {
      const answer = await post("/api/matter/joins", { body: { code: code.trim() } });
      setOff(false);
      setBegun(true);
      isOutcomeOwed.value = isUnderWay(answer.join);
      setJoin(answer.join);
    } catch (error) {
      if (error instanceof ApiError && error.code === "matter_unavailable") setOff(true);
      else throw error;
    }
  };
  if (hasBegun && join !== null && going) {
    return (
      <Dialog title={t("matterJoin.title")} onClose={onClose}>
        <Steps join={join} />
        <p class="soft small">{t("matterJoin.mayClose")}</p>
        <div class="actions">
          <Button text={t("action.cancel")} onClick={() => void remove("/api/matter/joins").catch(sayError)} />
        </div>
      </Dialog>
    );
  }
  const switchOn = async (): Promise<void> => {
    setStarting(true);
    try {
      await put("/api/matter", { body: { enabled: true } });
      for (const limit = Date.now() + STARTED_MS; Date.now() < limit; ) {
        if ((await get("/api/matter")).matter.process.state === "running") return setOff(false);
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
    } catch (error) {
      sayError(error);
    } finally {
      setStarting(false);
    }
  };
  const another = (): void => {
    setBegun(false);
    setCode("");
  };
  if (hasBegun && join?.state === "added") return <Added ids={join.devices} onClose={onClose} onNext={another} />;
  return (
    <Dialog title={t("matterJoin.title")} onClose={onClose}>
      {hasBegun && join?.state === "failed" && join.failure !== null && (
        <Notice tone="bad">{t(FAILURES[join.failure])}</Notice>
      )}
      {isOff && (
        <Notice tone="warn">
          <p>{t("matterJoin.off")}</p>
          <Button
            text={t(isStarting ? "matterJoin.starting" : "matterJoin.switchOn")}
            disabled={isStarting}
            onClick={() => void switchOn()}
          />
        </Notice>
      )}
      <Form submit={t("matterJoin.begin")} send={send} onCancel={onClose}>
        {(errors) => (
          <>
            <p class="soft">{t("matterJoin.text")}</p>
            <TextField
              label={t("matterJoin.code")}
              hint={t("matterJoin.codeHint")}
              value={code}
              onInput={setCode}
              error={errors.code}
              maxLength={256}
              secret
              required
            />
            <Scan onCode={setCode} />
            <p class="soft small">{t("matterJoin.noBluetooth")}</p>
          </>
        )}
      </Form>
    </Dialog>
  );
}

/** The steps done, in progress and still to come. */
function Steps({ join }: { join: Join }) {
  const here = STEPS.findIndex(([step]) => step === join.state);
  return (
    <ol class="list" aria-live="polite">
      {STEPS.map(([step, text], index) => (
        <li key={step} class={index > here ? "soft" : undefined} aria-current={index === here ? "step" : undefined}>
          {index === here ? (
            <span class="spinner" aria-hidden="true" />
          ) : (
            <Icon name={index < here ? "check" : "activity"} />
          )}
          <span class="grow">{t(text)}</span>
        </li>
      ))}
    </ol>
  );
}

function Added({ ids, onClose, onNext }: { ids: readonly string[]; onClose: () => void; onNext: () => void }) {
  const isGate = ids.some((id) => devices.value.get(id)?.capabilities?.barrier === true);
  const end = <Button look="primary" text={t("action.done")} onClick={onClose} />;
  return (
    <Dialog title={t("matterJoin.addedTitle", { n: ids.length })} onClose={onClose}>
      <Notice tone="good">{t("matterJoin.addedText")}</Notice>
      <ul class="list">
        {ids.map((id) => (
          <li key={id}>
            <a class="grow" href={`/devices/${encodeURIComponent(id)}`}>
              {devices.value.get(id)?.name ?? id}
            </a>
          </li>
        ))}
      </ul>
      <div class="actions">
        <Button text={t("matterJoin.another")} onClick={onNext} />
        {isGate ? <AfterGate otherwise={end} /> : end}
      </div>
    </Dialog>
  );
}

/** A reader of codes in pictures, as some browsers have it. */
interface CodeReader {
  detect(picture: ImageBitmap): Promise<readonly { readonly rawValue: string }[]>;
}

function codeReader(): CodeReader | null {
  const { BarcodeDetector: Reader } = globalThis as {
    BarcodeDetector?: new (options: { formats: readonly string[] }) => CodeReader;
  }; // missing from TypeScript's DOM types
  return Reader === undefined ? null : new Reader({ formats: ["qr_code"] });
}

/** Reads the QR code from a picture, if the browser can: a phone takes the picture. */
function Scan({ onCode }: { onCode: (code: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const reader = codeReader();
  if (reader === null) return null;
  const read = async (picture: File): Promise<void> => {
    const found = await reader.detect(await createImageBitmap(picture));
    const code = found.find(({ rawValue }) => rawValue.startsWith("MT:"))?.rawValue;
    if (code === undefined) say(t("matterJoin.noCode"));
    else onCode(code);
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="image/*"
        capture="environment"
        hidden
        onChange={(event) => {
          const [picture] = takeFiles(event.currentTarget);
          if (picture !== undefined) void read(picture).catch(sayError);
        }}
      />
      <Button icon="camera" text={t("matterJoin.scan")} onClick={() => input.current?.click()} />
    </>
  );
}
