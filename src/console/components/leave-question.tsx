import { t } from "../i18n/translate.ts";
import { held } from "../router.ts";
import { Confirm } from "./dialog.tsx";

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
