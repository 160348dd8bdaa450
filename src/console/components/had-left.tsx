import { post } from "../api.js";
import { t } from "../i18n/translate.js";
import { Button } from "./button.js";
import { say, sayError } from "./toast.js";

/** For a vehicle that was held to be inside already: a tap says that it had left unseen. */
export function HadLeft({ plate }: { plate: string }) {
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
