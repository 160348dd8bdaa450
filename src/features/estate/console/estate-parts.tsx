import { useState } from "preact/hooks";
import { get, put } from "../../../console/api.ts";
import { Card, Empty, Plate } from "../../../console/components/basics.tsx";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { TextField } from "../../../console/components/field.tsx";
import { Moment } from "../../../console/components/moment.tsx";
import { NameField } from "../../../console/components/name-fields.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { OccupancyGauge } from "../../gate/console/occupancy.tsx";
import type { Estate } from "./estate-model.ts";

type Part = Estate["parts"][number];
type Vehicle = AnswerTo<"GET", "/api/estate/inside">["vehicles"][number];

const MOST_SHOWN = 200;

/** How full the estate is, and each of its parts. */
export function EstateParts({ estate, onChanged }: { estate: Estate; onChanged: () => void }) {
  const [edited, setEdited] = useState<Part | null>(null);
  const [vehicles, setVehicles] = useState<readonly Vehicle[] | null>(null);
  const isManager = estate.role === "manager";
  const toggle = async (): Promise<void> => {
    if (vehicles !== null) return setVehicles(null);
    try {
      setVehicles((await get("/api/estate/inside", { query: { limit: MOST_SHOWN } })).vehicles);
    } catch (error) {
      sayError(error);
    }
  };
  const nameOf = (part: string): string => estate.parts.find((one) => one.part === part)?.name ?? part;
  return (
    <Card
      title={t("estate.inside")}
      action={
        isManager && (
          <Button
            look="plain"
            text={vehicles === null ? t("estate.showVehicles") : t("estate.hideVehicles")}
            aria-expanded={vehicles !== null}
            onClick={() => void toggle()}
          />
        )
      }
    >
      <div class="estate-parts">
        <div class="estate-part">
          <h3>{t("estate.whole")}</h3>
          <OccupancyGauge occupancy={estate.occupancy} />
        </div>
        {estate.parts.length > 1 || isManager
          ? estate.parts.map((part) => (
              <div class="estate-part" key={part.part}>
                <div class="row between">
                  <h3>{part.name}</h3>
                  {isManager && (
                    <IconButton
                      icon="pencil"
                      label={t("estate.editPart", { name: part.name })}
                      small
                      onClick={() => setEdited(part)}
                    />
                  )}
                </div>
                <OccupancyGauge occupancy={part} />
              </div>
            ))
          : null}
      </div>
      {vehicles !== null && vehicles.length === 0 && <Empty icon="car" text={t("estate.nobodyInside")} />}
      {vehicles !== null && (
        <ul class="list wrapped">
          {vehicles.map((vehicle) => (
            <li key={`${vehicle.plate} ${vehicle.part}`}>
              <Plate text={vehicle.formatted} />
              <span class="grow">{nameOf(vehicle.part)}</span>
              <Moment iso={vehicle.entryAt} />
            </li>
          ))}
        </ul>
      )}
      {edited !== null && (
        <PartDialog
          part={edited}
          onClose={() => setEdited(null)}
          onDone={() => {
            setEdited(null);
            onChanged();
          }}
        />
      )}
    </Card>
  );
}

function PartDialog({ part, onClose, onDone }: { part: Part; onClose: () => void; onDone: () => void }) {
  const [name, setName] = useState(part.name);
  const [capacity, setCapacity] = useState(part.capacity === null ? "" : String(part.capacity));
  const places = capacity.trim() === "" ? null : Number(capacity);
  const isRead = places === null || (Number.isSafeInteger(places) && places >= 0);
  const send = async (): Promise<void> => {
    await put("/api/estate/parts/{part}", {
      params: { part: part.part },
      body: { name: name.trim(), capacity: places },
    });
    onDone();
  };
  return (
    <Dialog title={t("estate.editPart", { name: part.name })} onClose={onClose}>
      <Form submit={t("action.save")} send={send} onCancel={onClose} disabled={name.trim() === ""}>
        {(errors) => (
          <>
            <NameField value={name} onInput={setName} errors={errors} maxLength={80} />
            <TextField
              label={t("estate.capacity")}
              hint={t("estate.capacityHint")}
              error={isRead ? errors.capacity : t("estate.capacityWrong")}
              value={capacity}
              onInput={setCapacity}
              inputMode="numeric"
              maxLength={7}
              unread={!isRead}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
