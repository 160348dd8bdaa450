import { t } from "../i18n/translate.js";
import { held } from "../router.js";
import { Confirm } from "./dialog.js";

/** Asks before unsaved input is left; once per page. */
export function LeaveQuestion() {
  const proceed = held.value;
  if (proceed === null) return null;
  return (
    <Confirm
      title={t("leave.title")}
      text={t("leave.text")}
      action={t("leave.yes")}
      danger
      onYes={async () => proceed()}
      onClose={() => {
        held.value = null;
      }}
    />
  );
}
