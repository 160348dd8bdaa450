import type { GateQuestion } from "../../features/gate/resources/gate-question.ts";
import { t } from "../i18n/translate.ts";

/** What is odd about how a plate came, as one sentence; empty if nothing is. */
export function oddText(odd: GateQuestion["odd"]): string {
  return odd.length === 0 ? "" : t("odd.sentence", { what: odd.map((one) => t(`odd.${one}`)).join("; ") });
}
