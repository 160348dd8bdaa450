import { useState } from "preact/hooks";
import { Button } from "../../../console/components/button.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { TextField } from "../../../console/components/field.tsx";
import { say } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { GateRead } from "../../../console/store.ts";
import { hasGate } from "./gate-devices.ts";
import { putOnList } from "./plate-lists.ts";

export type ListKind = "allow" | "deny" | "watch";

/** What can be done with several sightings at once; on a phone the words stand below their signs, under the count. */
export function BulkBar({
  chosen,
  all,
  onAll,
  onList,
  onSeen,
  onClear,
}: {
  chosen: readonly GateRead[];
  /** How many there are to choose. */
  all: number;
  onAll: () => void;
  onList: (kind: ListKind) => void;
  onSeen: () => void;
  onClear: () => void;
}) {
  const none = chosen.length === 0;
  return (
    <div class="save-bar bulk-bar" role="toolbar" aria-label={t("bulk.label")}>
      <div class="row bulk-choice">
        <span class="grow" role="status">
          {t("bulk.chosen", { n: chosen.length })}
        </span>
        {all > chosen.length && <Button look="plain" text={t("bulk.all", { n: all })} onClick={onAll} />}
      </div>
      <div class="bulk-acts">
        <Button icon="check" text={t("bulk.allow")} disabled={none} onClick={() => onList("allow")} />
        <Button icon="x" text={t("bulk.deny")} disabled={none} onClick={() => onList("deny")} />
        <Button icon="star" text={t("bulk.watch")} disabled={none} onClick={() => onList("watch")} />
        <Button icon="eye" text={t("bulk.seen")} disabled={none} onClick={onSeen} />
      </div>
      <Button look="plain" text={t("bulk.done")} onClick={onClear} />
    </div>
  );
}

/** Asks before plates change lists: what follows from it, and whose they are. */
export function ListDialog({
  reads,
  kind,
  onClose,
  onDone,
}: {
  reads: readonly GateRead[];
  kind: ListKind;
  onClose: () => void;
  onDone: () => void;
}) {
  const plates = [
    ...new Map(reads.flatMap((read) => (read.plate === null ? [] : [[read.plate, read] as const]))).values(),
  ];
  const [label, setLabel] = useState("");
  const isNew = plates.length === 1 && plates[0]?.label === ""; // one name would stand for several cars
  const send = async (): Promise<void> => {
    const n = await putOnList(
      plates.map((read) => read.plate ?? ""),
      kind,
      label.trim(),
    );
    say(t(kind === "allow" && !hasGate() ? "bulk.allowedNoGate" : `bulk.done.${kind}`, { n }));
    onDone();
  };
  return (
    <Dialog title={t(`bulk.title.${kind}`, { n: plates.length })} onClose={onClose}>
      <p>{plates.map((read) => read.formatted).join(", ")}</p>
      <p class="soft">{t(kind === "allow" && !hasGate() ? "bulk.noGateText" : `bulk.text.${kind}`)}</p>
      <Form submit={t(`bulk.${kind}`)} send={send} onCancel={onClose}>
        {(errors) =>
          isNew && (
            <TextField
              label={t("bulk.name")}
              hint={t("bulk.nameHint")}
              value={label}
              onInput={setLabel}
              error={errors.label}
            />
          )
        }
      </Form>
    </Dialog>
  );
}
