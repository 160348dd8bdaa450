import { useEffect, useState } from "preact/hooks";
import { get, post } from "../../../console/api.ts";
import { Card, Notice } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { FileField, SelectField } from "../../../console/components/field.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import type { GateRead } from "../../../console/store.ts";
import { ReadRow } from "../../gate/console/read-row.tsx";
import { PlateOverlay } from "./plate-overlay.tsx";

/** Frames that one capture may have. */
const MOST_FRAMES = 12;

/** A person's own pictures, read as if the camera had sent them: they decide, they are stored, the gate may open. */
export function BurstUpload({ deviceId }: { deviceId: string }) {
  const [files, setFiles] = useState<readonly File[]>([]);
  const [direction, setDirection] = useState<"in" | "out" | "">("");
  const [found, setFound] = useState<readonly GateRead[] | null>(null);
  const [tried, setTried] = useState<readonly Tried[]>([]);
  const [busy, setBusy] = useState(false);
  const choose = (chosen: readonly File[]): void => {
    setFiles(chosen);
    setTried([]);
  };
  const tryThem = async (): Promise<void> => {
    setBusy(true);
    try {
      const answers: Tried[] = [];
      for (const file of files.slice(0, MOST_FRAMES))
        answers.push(await post("/api/plates/try", { body: new Blob([file], { type: "image/jpeg" }) }));
      setTried(answers);
    } catch (error) {
      sayError(error);
    } finally {
      setBusy(false);
    }
  };
  const send = async (): Promise<void> => {
    if (files.length === 0) return say(t("burst.choose"));
    setFound(null);
    const body = new FormData();
    for (const file of files.slice(0, MOST_FRAMES)) body.append("frame", file, file.name);
    const query = direction === "" ? {} : { direction };
    const { reads } = await post("/api/cameras/{id}/burst", { params: { id: deviceId }, query, body });
    const inFull = reads.map(({ id }) => get("/api/plates/{id}", { params: { id } }));
    setFound((await Promise.all(inFull)).map(({ plate }) => plate));
  };
  return (
    <>
      <Card title={t("burst.title")}>
        <p class="soft small">{t("burst.text")}</p>
        <Form submit={t("burst.send")} send={send}>
          {() => (
            <>
              <FileField
                label={t("burst.files")}
                hint={t("burst.filesHint")}
                accept="image/jpeg"
                multiple
                onFiles={choose}
              />
              <Previews files={files} tried={tried} />
              <SelectField
                label={t("block.direction")}
                value={direction}
                onChange={setDirection}
                options={[
                  ["", t("burst.asCamera")],
                  ["in", t("read.in")],
                  ["out", t("read.out")],
                ]}
              />
              <Button
                text={busy ? t("preview.looking") : t("burst.try")}
                disabled={files.length === 0 || busy}
                onClick={() => void tryThem()}
              />
            </>
          )}
        </Form>
      </Card>
      <div class="stack" aria-live="polite">
        {found !== null && found.length === 0 && <Notice tone="warn">{t("burst.nothing")}</Notice>}
        {found !== null && found.length > 0 && (
          <ol class="read-rows">
            {found.map((read) => (
              <ReadRow key={read.id} read={read} />
            ))}
          </ol>
        )}
      </div>
    </>
  );
}

type Tried = AnswerTo<"POST", "/api/plates/try">;

/** The chosen files; after a try, the pictures with their plates drawn on them. */
function Previews({ files, tried }: { files: readonly File[]; tried: readonly Tried[] }) {
  const [urls, setUrls] = useState<readonly string[]>([]);
  useEffect(() => {
    const made = files.slice(0, MOST_FRAMES).map((file) => URL.createObjectURL(file));
    setUrls(made);
    return () => {
      for (const url of made) URL.revokeObjectURL(url);
    };
  }, [files]);
  if (urls.length === 0) return null;
  if (tried.length > 0)
    return (
      <div class="stack" aria-live="polite">
        {tried.map(({ plates }, index) => (
          <PlateOverlay
            key={urls[index]}
            picture={urls[index] ?? ""}
            plates={plates}
            alt={t("burst.frame", { n: index + 1 })}
          />
        ))}
      </div>
    );
  return (
    <div class="previews">
      {urls.map((url, index) => (
        <img key={url} src={url} alt={t("burst.frame", { n: index + 1 })} />
      ))}
    </div>
  );
}
