import { PageHead } from "../components/basics.tsx";
import { Icon, type IconName } from "../components/icon.tsx";
import { type TextKey, t } from "../i18n/translate.ts";
import { isOwner } from "../session.ts";

const ENTRIES: readonly { to: string; icon: IconName; label: TextKey; text: TextKey; ownersOnly?: boolean }[] = [
  { to: "/activity", icon: "activity", label: "nav.activity", text: "more.activity" },
  { to: "/scenes", icon: "clapperboard", label: "nav.scenes", text: "more.scenes" },
  { to: "/energy", icon: "zap", label: "energy.title", text: "more.energy" },
  { to: "/history", icon: "gauge", label: "device.history", text: "more.history" },
  { to: "/system/devices", icon: "plug", label: "home.devices", text: "more.devices", ownersOnly: true },
  { to: "/system/rooms", icon: "doorOpen", label: "rooms.title", text: "more.rooms", ownersOnly: true },
  { to: "/developer", icon: "code", label: "nav.developer", text: "more.developer", ownersOnly: true },
  { to: "/pair", icon: "plug", label: "pair.title", text: "more.pair" },
  { to: "/system", icon: "settings", label: "nav.system", text: "more.system" },
];

/** What does not fit into a phone's tabs. */
export function More() {
  return (
    <>
      <PageHead title={t("nav.more")} />
      <ul class="cards">
        {ENTRIES.filter((entry) => isOwner.value || entry.ownersOnly !== true).map((entry) => (
          <li key={entry.to}>
            <a class="card link-card" href={entry.to}>
              <div class="row">
                <Icon name={entry.icon} />
                <strong class="grow">{t(entry.label)}</strong>
                <Icon name="chevronRight" small />
              </div>
              <span class="soft">{t(entry.text)}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
