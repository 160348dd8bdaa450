import { useEffect, useRef, useState } from "preact/hooks";
import { patch, post } from "../../../console/api.ts";
import { Card, Notice, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { SelectField } from "../../../console/components/field.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { NameField } from "../../../console/components/name-fields.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { recordedText } from "../../../console/i18n/hub-texts.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import type { PageProps } from "../../../console/pages/page.ts";
import { forgetUnsaved, go } from "../../../console/router.ts";
import { devices, putDevice } from "../../../console/store.ts";
import type { CameraWatch } from "../../gate/api/console-cameras.ts";
import { SetUpBar } from "../../gate/console/set-up.tsx";
import type { Choice, Finding } from "./camera-find-model.ts";
import { givenPasswords } from "./camera-model.ts";
import { CameraPreset } from "./camera-preset.tsx";
import { CameraSearch } from "./camera-search.tsx";
import { GateSelect, gateOf, likelyGate } from "./gate-select.tsx";

/** The way without a search. */
function ByHandWay() {
  return (
    <>
      <Icon name="plus" />
      <span class="grow">
        <strong>{t("find.byHand")}</strong>
        <span class="soft small">{t("find.otherWays")}</span>
      </span>
      <Icon name="chevronRight" />
    </>
  );
}

/** Finds a camera's pictures: for a new camera, or for the one that the path names. */
export function FindCameraPage({ params }: PageProps) {
  const [finding, setFinding] = useState<Finding | null>(null);
  const [isByHand, setByHand] = useState(false);
  const name = params.id === undefined ? null : (devices.value.get(params.id)?.name ?? params.id);
  return (
    <>
      <PageHead title={name === null ? t("find.title") : t("find.titleFor", { name })} subtitle={t("find.subtitle")} />
      <Tabs of="/gate" here="/gate/cameras" />
      <SetUpBar />
      {finding === null ? (
        <>
          <div class="columns even">
            <CameraSearch onFound={setFinding} />
            <CameraPreset onFound={setFinding} />
          </div>
          {params.id === undefined ? (
            <button type="button" class="choice" onClick={() => setByHand(true)}>
              <ByHandWay />
            </button>
          ) : (
            <a class="choice" href={`/gate/cameras/${encodeURIComponent(params.id)}`}>
              <ByHandWay />
            </a>
          )}
        </>
      ) : (
        <Finish deviceId={params.id ?? null} finding={finding} onBack={() => setFinding(null)} />
      )}
      {isByHand && <ByHand onClose={() => setByHand(false)} />}
    </>
  );
}

/** A camera of which only name and gate are known: everything else is set on its own page, where this ends. */
function ByHand({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState(t("find.usualName"));
  const [gate, setGate] = useState(likelyGate);
  const { add, leave } = useAddCamera();
  const send = async (): Promise<void> => {
    const id = await add(name);
    const opens = gateOf(gate);
    if (opens !== null) await patch("/api/cameras/{id}", { params: { id }, body: { gate: opens } });
    leave(onClose);
  };
  const close = (): void => leave(onClose);
  return (
    <Dialog title={t("find.byHand")} onClose={close}>
      <p>{t("find.byHandText")}</p>
      <Form submit={t("find.add")} send={send} onCancel={close}>
        {(errors) => (
          <>
            <NameField value={name} onInput={setName} errors={errors} />
            <GateSelect value={gate} onChange={setGate} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

/** The last step: which picture, when to look, what to call it. */
function Finish({ deviceId, finding, onBack }: { deviceId: string | null; finding: Finding; onBack: () => void }) {
  const [url, setUrl] = useState(finding.choices[0]?.url ?? "");
  const [watch, setWatch] = useState(finding.motionAddress === null ? "motion" : "onvif");
  const [name, setName] = useState(finding.name);
  const [gate, setGate] = useState(likelyGate);
  const { add, leave } = useAddCamera();
  const choice = finding.choices.find((candidate) => candidate.url === url);
  if (choice === undefined)
    return (
      <Notice tone="warn">
        {t("find.noAddresses")} <Button text={t("find.back")} onClick={onBack} />
      </Notice>
    );
  const save = async (): Promise<void> => {
    const id = deviceId ?? (await add(name));
    const source = { kind: choice.kind, url: choice.url, watch: watchOf(watch, finding) };
    const body = deviceId === null ? { source, gate: gateOf(gate) } : { source };
    await patch("/api/cameras/{id}", { params: { id }, body });
    givenPasswords.delete(id); // the hub fetches its pictures
    say(t("action.saved"));
    go(`/gate/cameras/${encodeURIComponent(id)}`);
  };
  return (
    <div class="columns even">
      <Tried choice={choice} />
      <Card title={t("find.finish")}>
        <Form submit={deviceId === null ? t("find.add") : t("action.save")} send={save} onCancel={() => leave(onBack)}>
          {(errors) => (
            <>
              {deviceId === null && (
                <>
                  <NameField value={name} onInput={setName} errors={errors} />
                  <GateSelect value={gate} onChange={setGate} />
                </>
              )}
              <SelectField
                label={t("find.which")}
                hint={t("find.whichHint")}
                value={url}
                onChange={setUrl}
                options={finding.choices.map((each) => [each.url, each.label] as const)}
                error={errors["source.url"]}
              />
              <SelectField
                label={t("camera.watch")}
                value={watch}
                onChange={setWatch}
                options={[
                  ...(finding.motionAddress === null ? [] : [["onvif", t("watch.onvif")] as const]),
                  ["motion", t("watch.motion")],
                  ["periodic", t("watch.periodic")],
                  ["manual", t("watch.manual")],
                ]}
              />
              <p class="soft small">{t("find.then")}</p>
            </>
          )}
        </Form>
      </Card>
    </div>
  );
}

function watchOf(kind: string, { motionAddress }: Finding): CameraWatch {
  if (kind === "onvif" && motionAddress !== null) return { kind, address: motionAddress };
  if (kind === "periodic") return { kind, everySeconds: 60 };
  return kind === "manual" ? { kind } : { kind: "motion" };
}

/**
 * Adds the camera of a form once, however often the form is sent until its settings are taken; answers its id. Who
 * leaves the form once it has been added comes to its page: its password is shown there, and the rest can be set.
 */
function useAddCamera(): { add: (name: string) => Promise<string>; leave: (close: () => void) => void } {
  const made = useRef<string | null>(null);
  const add = async (name: string): Promise<string> => {
    if (made.current !== null) return made.current;
    const { device, password } = await post("/api/devices", { body: { name, type: "camera" } });
    putDevice(device);
    givenPasswords.set(device.id, password);
    made.current = device.id;
    return device.id;
  };
  const leave = (close: () => void): void => {
    close();
    if (made.current === null) return;
    forgetUnsaved(); // the gate can be chosen there
    go(`/gate/cameras/${encodeURIComponent(made.current)}`);
  };
  return { add, leave };
}

type Look = AnswerTo<"POST", "/api/cameras/look">;

/** One picture from the chosen address, before anything is saved. */
function Tried({ choice: { kind, url } }: { choice: Choice }) {
  const [look, setLook] = useState<Look | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    setLook(null);
    void post("/api/cameras/look", { body: { source: { kind, url } } })
      .then((answer) => isCurrent && setLook(answer))
      .catch((error: unknown) => {
        if (!isCurrent) return;
        setLook({ picture: null, trouble: null });
        sayError(error);
      });
    return () => {
      isCurrent = false;
    };
  }, [kind, url, round]);
  const picture = look?.picture ?? null;
  return (
    <Card title={t("preview.title")}>
      {picture === null ? (
        <div class="read-image none" aria-busy={look === null}>
          <Icon name="camera" />
          <span class="small">{look === null ? t("preview.looking") : t("preview.noPicture")}</span>
        </div>
      ) : (
        <img
          class="tried-image"
          src={`data:image/jpeg;base64,${picture.jpeg}`}
          alt={t("find.pictureAlt")}
          width={picture.width}
          height={picture.height}
        />
      )}
      <div role="status">
        {picture !== null && (
          <p class="soft small">{t("find.works", { width: picture.width, height: picture.height })}</p>
        )}
        {look !== null && look.trouble !== null && (
          <p class="error-text small">{t("find.trouble", { why: recordedText("detail", look.words, look.trouble) })}</p>
        )}
      </div>
      {look !== null && (
        <div class="row">
          <Button text={t("find.lookAgain")} onClick={() => setRound(round + 1)} />
        </div>
      )}
    </Card>
  );
}
