import { useOpenTab } from "../../../console/components/open-tab.ts";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import { isOwner } from "../../../console/session.ts";

const TABS: readonly (readonly [string, TextKey])[] = [
  ["/system", "system.overview"],
  ["/system/persons", "persons.title"],
  ["/system/devices", "home.devices"],
  ["/system/rooms", "rooms.title"],
  ["/system/bridge", "bridge.title"],
  ["/system/matter", "matter.title"],
  ["/system/series", "series.title"],
  ["/system/backups", "backup.title"],
  ["/system/updates", "update.title"],
  ["/system/log", "log.title"],
  ["/system/mqtt", "explorer.tab"],
  ["/system/settings", "settings.title"],
];

/** The parts of the system section and where they are; a member has one page and no tabs. */
export function SystemTabs({ here }: { here: string }) {
  const tabs = useOpenTab();
  if (!isOwner.value) return null;
  return (
    <nav class="tabs" ref={tabs} aria-label={t("nav.system")}>
      {TABS.map(([to, label]) => (
        <a key={to} href={to} {...(to === here ? { "aria-current": "page" as const } : {})}>
          {t(label)}
        </a>
      ))}
    </nav>
  );
}
