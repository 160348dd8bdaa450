import { post } from "../api.ts";
import { t } from "../i18n/translate.ts";
import { keepsGate } from "../session.ts";
import { inside } from "../store.ts";
import { Button } from "./button.tsx";
import { say, sayError } from "./toast.tsx";

/** For as long as a vehicle is recorded as inside: a tap of who keeps the gate records that it had left unseen. */
export function HadLeft({ plate }: { plate: string }) {
  const isInside = inside.value.inside.some((one) => one.plate === plate || one.formatted === plate);
  if (!keepsGate.value || !isInside) return null;
  const forget = async (): Promise<void> => {
    try {
      await post("/api/vehicles/{plate}/left", { params: { plate } });
      say(t("read.leftSaid"));
    } catch (error) {
      sayError(error);
    }
  };
  return <Button text={t("read.left")} onClick={() => void forget()} />;
}
