import { useEffect, useState } from "preact/hooks";
import { get, patch } from "../../../console/api.ts";
import { Notice, PageHead } from "../../../console/components/basics.tsx";
import { CommandField } from "../../../console/components/command-field.tsx";
import { type FieldErrors, Form } from "../../../console/components/dialog.tsx";
import { CheckField, SelectField } from "../../../console/components/field.tsx";
import { FoldCard } from "../../../console/components/fold-card.tsx";
import { Gone } from "../../../console/components/gone.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { recordedText } from "../../../console/i18n/hub-texts.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { PageProps } from "../../../console/pages/page.ts";
import { deviceList, devices } from "../../../console/store.ts";
import { FirstCar, useFirstCar } from "../../gate/console/first-car.tsx";
import { SetUpBar } from "../../gate/console/set-up.tsx";
import { BurstUpload } from "./burst-upload.tsx";
import { CameraConnect } from "./camera-connect.tsx";
import { CameraDoctor } from "./camera-doctor.tsx";
import { type Camera, lastPicture } from "./camera-model.ts";
import { CameraPreview } from "./camera-preview.tsx";
import { CameraSource, sourceText } from "./camera-source.tsx";
import { gateOf } from "./gate-select.tsx";

/** One camera: its lane, the gate it opens, where its pictures come from, and a try with one's own pictures. */
export function CameraPage({ params }: PageProps) {
  const id = params.id ?? "";
  const [camera, setCamera] = useState<Camera | null>(null);
  /** As the hub has it. */
  const [stored, setStored] = useState<Camera | null>(null);
  const [missing, setMissing] = useState(false);
  const isNative = camera?.source.kind === "native";
  const showsFirstCar = useFirstCar(id, isNative);
  useEffect(() => {
    void get("/api/cameras")
      .then((answer) => {
        const found = answer.cameras.find((candidate) => candidate.deviceId === id);
        setCamera(found ?? null);
        setStored(found ?? null);
        setMissing(found === undefined);
      })
      .catch(sayError);
  }, [id]);
  if (missing) return <Gone text={t("device.gone")} />;
  if (camera === null) return <p aria-busy="true">{t("state.loading")}</p>;
  const inForm = ({ enabled, direction, approach, insideGate, gate, presented, source }: Camera) => ({
    ...{ enabled, direction, approach, insideGate, gate, presented },
    source,
  });
  const isChanged = stored !== null && JSON.stringify(inForm(camera)) !== JSON.stringify(inForm(stored));
  const change = (part: Partial<Camera>): void => setCamera({ ...camera, ...part });
  const send = async (): Promise<void> => {
    const { camera: saved } = await patch("/api/cameras/{id}", { params: { id }, body: inForm(camera) });
    setCamera(saved);
    setStored(saved);
    say(t("action.saved"));
  };
  const opens =
    camera.gate === null ? undefined : (devices.value.get(camera.gate.deviceId)?.name ?? camera.gate.deviceId);
  return (
    <>
      <PageHead
        title={devices.value.get(id)?.name ?? id}
        subtitle={[
          sourceText(camera.source),
          opens === undefined ? t("camera.opensNothing") : t("camera.opens", { gate: opens }),
        ].join(" · ")}
      />
      <Tabs of="/gate" here="/gate/cameras" />
      <SetUpBar />
      {camera.trouble !== null && <Notice tone="bad">{recordedText("detail", camera.words, camera.trouble)}</Notice>}
      <FirstCar deviceId={id} isNative={isNative} isShown={showsFirstCar} />
      {isNative && <CameraConnect deviceId={id} />}
      {/* one that sends its own has nothing to show before, and then the same as its newest picture above */}
      {(!isNative || (lastPicture(id) !== undefined && !showsFirstCar)) && (
        <CameraPreview deviceId={id} isNative={isNative} />
      )}
      <CameraDoctor deviceId={id} />
      <div class="columns">
        <Form submit={t("action.save")} send={send} disabled={!isChanged}>
          {(errors) => (
            <div class="stack home-main">
              <FoldCard title={t("camera.lane")} value={laneText(camera)} mustShow={hasError(errors)}>
                <LaneFields camera={camera} change={change} />
              </FoldCard>
              <FoldCard
                title={t("camera.gate")}
                value={opens === undefined ? t("camera.opensNothing") : t("camera.opens", { gate: opens })}
                mustShow={hasError(errors)}
              >
                <GateFields camera={camera} change={change} />
              </FoldCard>
              <FoldCard title={t("camera.source")} value={sourceText(camera.source)} mustShow={hasError(errors)}>
                <CameraSource
                  deviceId={id}
                  source={camera.source}
                  hasPassword={camera.hasPassword}
                  errors={errors}
                  onChange={(source) => change({ source })}
                />
              </FoldCard>
            </div>
          )}
        </Form>
        <div class="stack home-side">
          <BurstUpload deviceId={id} />
        </div>
      </div>
    </>
  );
}

function way(value: string): "in" | "out" | null {
  return value === "in" || value === "out" ? value : null;
}

function hasError(errors: FieldErrors): boolean {
  return Object.keys(errors).length > 0;
}

function laneText({ enabled, direction }: Camera): string {
  if (!enabled) return t("camera.off");
  return direction === null ? t("camera.bothWays") : t(direction === "in" ? "camera.onlyIn" : "camera.onlyOut");
}

function LaneFields({ camera, change }: { camera: Camera; change: (part: Partial<Camera>) => void }) {
  return (
    <>
      <CheckField label={t("camera.enabled")} checked={camera.enabled} onChange={(enabled) => change({ enabled })} />
      <SelectField
        label={t("camera.direction")}
        value={camera.direction ?? ""}
        onChange={(next) => change({ direction: way(next) })}
        options={[
          ["", t("camera.bothWays")],
          ["in", t("camera.onlyIn")],
          ["out", t("camera.onlyOut")],
        ]}
      />
      {camera.direction === null && (
        <SelectField
          label={t("camera.approach")}
          hint={t("camera.approachHint")}
          value={camera.approach ?? ""}
          onChange={(next) => change({ approach: way(next) })}
          options={[
            ["", t("camera.approachUnknown")],
            ["in", t("read.in")],
            ["out", t("read.out")],
          ]}
        />
      )}
      <CheckField
        label={t("camera.insideGate")}
        hint={t("camera.insideGateHint")}
        checked={camera.insideGate}
        onChange={(insideGate) => change({ insideGate })}
      />
    </>
  );
}

const FOLLOWS = ["open", "ask", "refuse"] as const;

function learnedText({ learned }: Camera): string {
  if (learned.passes >= learned.of) return t("camera.presentedLearned");
  return t("camera.presentedLearning", { passes: learned.passes, of: learned.of });
}

function GateFields({ camera, change }: { camera: Camera; change: (part: Partial<Camera>) => void }) {
  const { gate } = camera;
  const rank = (type: string): number => (type === "gate" ? 0 : 1);
  const able = deviceList.value
    .filter((device) => device.type !== "camera" && device.type !== "sensor")
    .sort((a, b) => rank(a.type) - rank(b.type));
  return (
    <>
      <SelectField
        label={t("camera.gateDevice")}
        hint={t("camera.gateHint")}
        value={gate?.deviceId ?? ""}
        onChange={(deviceId) => change({ gate: gateOf(deviceId) })}
        options={[["", t("camera.opensNothing")], ...able.map((device) => [device.id, device.name] as const)]}
      />
      {gate !== null && (
        <Notice tone="warn">
          {t("earns.warning")} <a href="/gate/rules">{t("gate.rules")}</a>
        </Notice>
      )}
      {gate !== null && (
        <details class="group">
          <summary>{t("camera.told")}</summary>
          <CommandField
            label={t("block.command")}
            deviceId={gate.deviceId}
            value={gate.command}
            onChange={(command) => change({ gate: { ...gate, command: command as Record<string, unknown> } })} // the field gives JSON objects; the hub checks it
          />
        </details>
      )}
      {gate !== null && (
        <SelectField
          label={t("camera.presented")}
          hint={`${t("camera.presentedHint")} ${learnedText(camera)}`}
          value={camera.presented}
          onChange={(presented) => change({ presented: FOLLOWS.find((one) => one === presented) ?? "ask" })}
          options={FOLLOWS.map((follows) => [follows, t(`presented.${follows}`)])}
        />
      )}
    </>
  );
}
