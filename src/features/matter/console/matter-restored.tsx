import { useState } from "preact/hooks";
import { post } from "../../../console/api.ts";
import { Card, Notice } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Confirm } from "../../../console/components/dialog.tsx";
import { say } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { MatterCard } from "./matter.tsx";

/** The keys came with a backup: Matter stays off until an owner confirms that no other host uses them. */
export function MatterRestoredCard({ onChange }: Pick<MatterCard, "onChange">) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Card title={t("matter.restored.title")}>
      <Notice tone="warn">{t("matter.restored.text")}</Notice>
      <div class="row">
        <Button look="primary" text={t("matter.restored.action")} onClick={() => setAsking(true)} />
      </div>
      {isAsking && (
        <Confirm
          title={t("matter.restored.ask")}
          text={t("matter.restored.askText")}
          action={t("matter.restored.yes")}
          onYes={async () => {
            onChange((await post("/api/matter/takeover")).matter);
            say(t("matter.restored.done"));
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </Card>
  );
}
