import { useLayoutEffect } from "preact/hooks";
import { t } from "../i18n/translate.js";
import { go, held, unsaved } from "../router.js";
import { Confirm } from "./dialog.js";

/** Has the person asked before a page is left, or the window closed, while `isDirty`. */
export function useUnsaved(isDirty: boolean): void {
  useLayoutEffect(() => {
    unsaved.value = isDirty;
    return () => {
      unsaved.value = false;
    };
  }, [isDirty]);
}

/** Where that question appears; once per page. */
export function LeaveQuestion() {
  const to = held.value;
  if (to === null) return null;
  const stay = (): void => {
    held.value = null;
  };
  return (
    <Confirm
      title={t("leave.title")}
      text={t("leave.text")}
      action={t("leave.yes")}
      danger
      onYes={async () => {
        unsaved.value = false;
        go(to);
      }}
      onClose={stay}
    />
  );
}
