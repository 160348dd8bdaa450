import { useState } from "preact/hooks";
import { post } from "../../../console/api.ts";
import { Card } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { LiveFrame } from "../../../console/components/live-frame.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { devices } from "../../../console/store.ts";
import { lastPicture } from "./camera-model.ts";
import { PlateOverlay } from "./plate-overlay.tsx";

type Preview = NonNullable<AnswerTo<"POST", "/api/cameras/{id}/preview">["preview"]>;

/**
 * The camera's current picture; on demand with the plates that the reader finds in it. Nothing is stored, no gate
 * opens.
 */
export function CameraPreview({ deviceId, isNative }: { deviceId: string; isNative: boolean }) {
  const [preview, setPreview] = useState<Preview | null>(null);
  const [busy, setBusy] = useState(false);
  const name = devices.value.get(deviceId)?.name ?? deviceId;
  const look = async (): Promise<void> => {
    setBusy(true);
    try {
      const answer = await post("/api/cameras/{id}/preview", { params: { id: deviceId } });
      setPreview(answer.preview);
      if (answer.preview === null) say(t("preview.noPicture"));
    } catch (error) {
      sayError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Card title={t("preview.title")}>
      {preview === null ? (
        // one that sends its own has a new picture with each read
        <LiveFrame key={isNative ? lastPicture(deviceId)?.id : ""} deviceId={deviceId} name={name} fresh={!isNative} />
      ) : (
        <>
          <PlateOverlay
            picture={`data:image/jpeg;base64,${preview.jpeg}`}
            plates={preview.plates}
            alt={t("read.imageAlt", { camera: name })}
          />
          <p class="soft small">{t("preview.took", { n: preview.tookMs })}</p>
        </>
      )}
      <div class="row">
        <Button text={busy ? t("preview.looking") : t("preview.look")} disabled={busy} onClick={() => void look()} />
        {preview !== null && <Button look="plain" text={t("preview.live")} onClick={() => setPreview(null)} />}
      </div>
    </Card>
  );
}
