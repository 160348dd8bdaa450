import { t, whenText } from "../../../console/i18n/translate.ts";
import { isOwner } from "../../../console/session.ts";
import { reads } from "../../../console/store.ts";
import { whyNobody } from "./inside.ts";

/** Says that no car is known to be inside, and why; where a camera does not tell the way, the link to what does. */
export function NobodyInside() {
  const why = whyNobody(reads.value);
  switch (why.kind) {
    case "unread":
      return <>{t("inside.nobodyUnread")}</>;
    case "left":
      return <>{t("inside.nobodyLeft", { when: whenText(why.at) })}</>;
    case "notIn":
      return <>{t("inside.nobodyNotIn")}</>;
    case "noWay":
      return (
        <>
          {t("inside.nobodyNoWay")}
          {isOwner.value && (
            <>
              {" "}
              <a href={why.deviceId === null ? "/gate/cameras" : `/gate/cameras/${encodeURIComponent(why.deviceId)}`}>
                {t("inside.setWay")}
              </a>
            </>
          )}
        </>
      );
  }
}
