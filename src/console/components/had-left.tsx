import { post } from "../api.ts";
import { t } from "../i18n/translate.ts";
import { keepsGate } from "../session.ts";
import { Button } from "./button.tsx";
import { say, sayError } from "./toast.tsx";

/** For a vehicle recorded as already inside: a tap of who keeps the gate records that it had left unseen. */
export function HadLeft({ plate }: { plate: string }) {
  if (!keepsGate.value) return null;
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
