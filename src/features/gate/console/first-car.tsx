import { useEffect, useRef, useState } from "preact/hooks";
import { get, post } from "../../../console/api.ts";
import { Card, Notice, Plate } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { TextField } from "../../../console/components/field.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { devices, type GateRead, reads } from "../../../console/store.ts";
import { putOnList } from "./plate-lists.ts";
import { FramedPicture, surenessText } from "./read-pane.tsx";
import { Chain } from "./read-row.tsx";
import { refreshSetUp, useSetUp } from "./set-up-path.ts";

/**
 * Whether a camera's page shows the end of the set-up: not in a house whose gate has opened for a plate before the page
 * was opened, nor before the first picture of a camera that sends its own.
 */
export function useFirstCar(deviceId: string, isNative: boolean): boolean {
  const way = useSetUp();
  const wasOpen = useRef(false);
  if (way !== null && way.next !== null) wasOpen.current = true;
  return way !== null && wasOpen.current && (!isNative || newestOf(deviceId) !== undefined);
}

function newestOf(deviceId: string): GateRead | undefined {
  return reads.value.find((one) => one.deviceId === deviceId);
}

/**
 * The end of the set-up on a camera's page: its newest picture, whose plate can be allowed there, and then what the
 * gate made of the next one.
 */
export function FirstCar({
  deviceId,
  isNative,
  isShown,
}: {
  deviceId: string;
  isNative: boolean;
  /** As {@link useFirstCar} says. */
  isShown: boolean;
}) {
  const way = useSetUp();
  const read = newestOf(deviceId);
  const top = useRef<HTMLDivElement>(null);
  const first = useRef(read?.id);
  useEffect(() => {
    // a person who has scrolled on is led to it
    if (read !== undefined && read.id !== first.current) top.current?.scrollIntoView({ block: "start" });
    first.current = read?.id;
  }, [read?.id]);
  if (way === null || !isShown) return null;
  return (
    <div class="first-car" ref={top} tabIndex={-1}>
      <Card title={t(read === undefined ? "firstCar.none" : way.next === null ? "firstCar.over" : "firstCar.title")}>
        {read === undefined ? (
          <Waiting text={t("firstCar.waiting")} />
        ) : (
          <>
            <FramedPicture read={read} camera={devices.value.get(deviceId)?.name ?? deviceId} />
            <Newest
              key={read.id}
              read={read}
              isOver={way.next === null}
              onAllowed={() => top.current?.focus({ preventScroll: true })} // the form goes with its focus
            />
          </>
        )}
        {way.next !== null && !isNative && <LookNow deviceId={deviceId} />}
      </Card>
    </div>
  );
}

/** What the newest picture shows, and what to do about it. */
function Newest({ read, isOver, onAllowed }: { read: GateRead; isOver: boolean; onAllowed: () => void }) {
  const [isAllowed, setAllowed] = useState<boolean | null>(null);
  const { plate } = read;
  useEffect(() => {
    if (plate === null) return;
    void get("/v1/plate-rules")
      .then(({ rules }) => setAllowed(rules.some((rule) => rule.plate === plate && rule.kind === "allow")))
      .catch(sayError);
  }, [plate]);
  if (plate === null)
    return (
      <div role="status" class="stack">
        <p>{surenessText(read)}</p>
        <p class="soft">
          {t(read.reason === "no_plate" || read.reason === "invalid_format" ? "firstCar.clearer" : "firstCar.another")}
        </p>
      </div>
    );
  if (isOver)
    return (
      <>
        <Notice tone="good">{t("firstCar.opened", { plate: read.formatted ?? plate })}</Notice>
        <a class="button primary" href="/">
          {t("firstCar.home")}
        </a>
      </>
    );
  if (isAllowed === null) return null;
  if (!isAllowed)
    return (
      <Allow
        read={read}
        onDone={() => {
          setAllowed(true);
          onAllowed();
        }}
      />
    );
  const isDecided = read.decision === "allow";
  return (
    <>
      {isDecided && <Chain read={read} />}
      {isDecided && read.gate?.reason === "repeated" ? (
        <Waiting text={t("setUp.repeated")} />
      ) : (
        <Waiting text={t(read.opens === null ? "bulk.noGateText" : "firstCar.allowed")} />
      )}
    </>
  );
}

/** The plate of the first picture, and one tap to allow it. */
function Allow({ read, onDone }: { read: GateRead; onDone: () => void }) {
  const [label, setLabel] = useState("");
  const send = async (): Promise<void> => {
    await putOnList([read.plate ?? ""], "allow", label.trim());
    onDone();
    await refreshSetUp();
  };
  return (
    <>
      <p>
        <Plate text={read.formatted} />
      </p>
      <Form isPassing submit={t("review.allow")} send={send}>
        {(errors) => (
          <TextField
            label={t("bulk.name")}
            hint={t("bulk.nameHint")}
            value={label}
            onInput={setLabel}
            error={errors.label}
          />
        )}
      </Form>
    </>
  );
}

function Waiting({ text }: { text: string }) {
  return (
    <div class="waiting" role="status">
      <span class="spinner" aria-hidden="true" />
      <p class="grow">{text}</p>
    </div>
  );
}

/** Has the hub take a picture, as if something had moved. */
function LookNow({ deviceId }: { deviceId: string }) {
  const [busy, setBusy] = useState(false);
  const look = async (): Promise<void> => {
    setBusy(true);
    try {
      await post("/api/cameras/{id}/capture", { params: { id: deviceId } });
    } catch (error) {
      sayError(error);
    } finally {
      setBusy(false);
    }
  };
  return <Button text={busy ? t("preview.looking") : t("camera.look")} disabled={busy} onClick={() => void look()} />;
}
