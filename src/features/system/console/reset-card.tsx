import { useState } from "preact/hooks";
import { post } from "../../../console/api.ts";
import { Card, Notice } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { TextField } from "../../../console/components/field.tsx";
import { Restarting } from "../../../console/components/restarting.tsx";
import { t } from "../../../console/i18n/translate.ts";

/** Factory reset: the site's name has to be typed, and the hub asks for a proof of identity. */
export function ResetCard({ siteName }: { siteName: string }) {
  const [isOpen, setOpen] = useState(false);
  const [started, setStarted] = useState<{ restarts: boolean } | null>(null);
  return (
    <Card title={t("reset.title")}>
      <p class="soft small">{t("reset.text")}</p>
      <div class="row">
        <Button look="danger" text={t("reset.begin")} onClick={() => setOpen(true)} />
      </div>
      {isOpen && (
        <ResetDialog
          siteName={siteName}
          onClose={() => setOpen(false)}
          onStarted={(plan) => {
            setOpen(false);
            setStarted(plan);
          }}
        />
      )}
      {started && <Restarting text={t("restart.reset")} byItself={started.restarts} />}
    </Card>
  );
}

function ResetDialog({
  siteName,
  onClose,
  onStarted,
}: {
  siteName: string;
  onClose: () => void;
  onStarted: (plan: { restarts: boolean }) => void;
}) {
  const [site, setSite] = useState("");
  const send = async (): Promise<void> => onStarted(await post("/api/reset", { body: { site } }));
  return (
    <Dialog title={t("reset.title")} onClose={onClose}>
      <Notice tone="bad">{t("reset.warning")}</Notice>
      <Form submit={t("reset.now")} danger disabled={site.trim() !== siteName} send={send} onCancel={onClose}>
        {(errors) => (
          <TextField
            label={t("reset.typeSite", { name: siteName })}
            value={site}
            onInput={setSite}
            error={errors.site}
            required
          />
        )}
      </Form>
    </Dialog>
  );
}
