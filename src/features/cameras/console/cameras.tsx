import { useEffect, useState } from "preact/hooks";
import { get, post } from "../../../console/api.ts";
import { Card, Empty, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { LiveFrame } from "../../../console/components/live-frame.tsx";
import { Name } from "../../../console/components/name.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { recordedText } from "../../../console/i18n/hub-texts.ts";
import { t } from "../../../console/i18n/translate.ts";
import { devices } from "../../../console/store.ts";
import { AccuracyCard } from "./accuracy-card.tsx";
import { type Camera, STATES } from "./camera-model.ts";
import "../../../console/components/thing.css";

/** How often states and pictures are asked for again while the page is open. */
const RELOAD_MS = 5_000;

/** All cameras: what each last saw, its state, which gate it opens. */
export function CamerasPage() {
  const [cameras, setCameras] = useState<readonly Camera[] | null>(null);
  useEffect(() => {
    const load = (): void =>
      void get("/api/cameras")
        .then((answer) => setCameras(answer.cameras))
        .catch(sayError);
    load();
    const timer = setInterval(load, RELOAD_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <PageHead title={t("gate.cameras")} subtitle={t("camera.subtitle")}>
        <a class="button primary" href="/gate/cameras/new">
          <Icon name="plus" small />
          {t("find.title")}
        </a>
      </PageHead>
      <Tabs of="/gate" here="/gate/cameras" />
      {cameras?.length === 0 && (
        <Card>
          <Empty icon="camera" text={t("camera.none")} />
        </Card>
      )}
      <div class="cards pictures">
        {(cameras ?? []).map((camera) => (
          <CameraCard key={camera.deviceId} camera={camera} />
        ))}
      </div>
      <AccuracyCard />
    </>
  );
}

function CameraCard({ camera }: { camera: Camera }) {
  const name = devices.value.get(camera.deviceId)?.name ?? camera.deviceId;
  const { word, tone } = STATES[camera.state];
  const gateName =
    camera.gate === null ? null : (devices.value.get(camera.gate.deviceId)?.name ?? camera.gate.deviceId);
  const look = async (): Promise<void> => {
    try {
      await post("/api/cameras/{id}/capture", { params: { id: camera.deviceId } });
      say(t("camera.looking"));
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <section class="card thing" aria-label={name}>
      <div class="thing-picture">
        <LiveFrame deviceId={camera.deviceId} name={name} fresh={false} everyMs={RELOAD_MS} />
      </div>
      <div class="thing-head">
        <h2 class="grow">
          <a href={`/devices/${encodeURIComponent(camera.deviceId)}`}>
            <Name text={name} />
          </a>
        </h2>
        <span class={camera.enabled ? tone : "badge"}>{camera.enabled ? t(word) : t("camera.off")}</span>
      </div>
      <p class="soft small">
        {camera.direction === null ? t("camera.bothWays") : camera.direction === "in" ? t("read.in") : t("read.out")}
        {" · "}
        {gateName === null ? t("camera.opensNothing") : t("camera.opens", { gate: gateName })}
      </p>
      {camera.trouble !== null && (
        <p class="error-text small">{recordedText("detail", camera.words, camera.trouble)}</p>
      )}
      <div class="row">
        <a class="button" href={`/gate/cameras/${encodeURIComponent(camera.deviceId)}`}>
          <Icon name="settings" small />
          {t("camera.setUp")}
        </a>
        {camera.source.kind !== "native" && (
          <Button text={t("camera.look")} disabled={!camera.enabled} onClick={() => void look()} />
        )}
      </div>
    </section>
  );
}
