import { useEffect } from "preact/hooks";
import { useOpenTab } from "../../../console/components/open-tab.ts";
import { t } from "../../../console/i18n/translate.ts";
import { isOwner } from "../../../console/session.ts";
import { askForEstate, inEstate } from "../../estate/console/estate-tab.ts";

/** The parts of the gate section and where they are. */
export function GateTabs({ here }: { here: string }) {
  const row = useOpenTab(inEstate.value);
  useEffect(() => {
    if (isOwner.value) askForEstate();
  }, []);
  const tabs = [
    ["/gate", t("gate.reads")],
    ["/gate/vehicles", t("gate.vehicles")],
    ["/gate/guests", t("gate.guests")],
    ["/gate/rules", t("gate.rules")],
    ["/gate/cameras", t("gate.cameras")],
    ...(inEstate.value === true || here === "/gate/estate" ? [["/gate/estate", t("estate.title")] as const] : []),
  ] as const;
  return (
    <nav class="tabs" ref={row} aria-label={t("nav.gate")}>
      {tabs.slice(0, isOwner.value ? tabs.length : 2).map(([to, label]) => (
        <a key={to} href={to} {...(to === here ? { "aria-current": "page" as const } : {})}>
          {label}
        </a>
      ))}
    </nav>
  );
}
