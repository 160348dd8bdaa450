import { post } from "../../../console/api.ts";
import { Button } from "../../../console/components/button.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { duration, t, whenText } from "../../../console/i18n/translate.ts";
import { keepsGate } from "../../../console/session.ts";
import { refreshGate } from "../../../console/store.ts";
import type { CarInside } from "./inside.ts";

/** Cars that have stayed longer than they usually do: why the hub doubts that they are inside, and a tap that ends it. */
export function MayHaveLeft({ cars }: { cars: readonly CarInside[] }) {
  return (
    <ul class="list may-have-left" aria-label={t("inside.mayHaveLeft")}>
      {cars.map((car) => (
        <li key={car.visitId}>
          <p class="grow small">
            <a href={`/gate/vehicles/${encodeURIComponent(car.plate)}`}>{car.label || car.formatted}</a>{" "}
            <span class="soft">{doubtText(car)}</span>
          </p>
          {keepsGate.value && (
            <Button
              text={t("visit.close")}
              aria-label={`${t("visit.close")}: ${car.label || car.formatted}`}
              onClick={() => void noteLeft(car)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

/** What the hub knows, and why it doubts: `came at 08:10, usually leaves after 2 h`. */
function doubtText({ since, usualStaySeconds }: CarInside): string {
  const when = whenText(since);
  return usualStaySeconds === null
    ? t("inside.notSeenSince", { when })
    : t("inside.usuallyLeaves", { when, stay: duration(usualStaySeconds) });
}

async function noteLeft({ visitId, label, formatted }: CarInside): Promise<void> {
  try {
    await post("/api/visits/{id}/close", { params: { id: visitId } });
    await refreshGate();
    say(t("inside.leftNoted", { who: label || formatted }));
  } catch (error) {
    sayError(error);
  }
}
