import { weakBatteries } from "../../features/devices/rules/dangers.ts";
import { powerNow } from "../../features/energy/rules/house-energy.ts";
import { carsInside } from "../../features/gate/console/inside.ts";
import { HousePlace, ModeChip } from "../../features/house/console/house-chip.tsx";
import { measured } from "../i18n/measures.ts";
import { number, t } from "../i18n/translate.ts";
import { withUnit } from "../i18n/unbroken.ts";
import { path, query } from "../router.ts";
import { type Device, deviceList, energyRoles, house, inside, shownState } from "../store.ts";
import { isAway, isOpen, runs } from "./device-tile.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { Name } from "./name.tsx";

interface HouseChip {
  readonly key: string;
  readonly icon: IconName;
  readonly value: string;
  readonly about: string;
  readonly to: string;
  /** It deserves a look. */
  readonly isLoud?: boolean;
}

/** The house at a glance: what it is set to, and at most six facts, each of which leads to what it is about. */
export function HouseChips() {
  const all = deviceList.value;
  const chips = [
    onChip(all),
    openChip(all),
    carsChip(),
    powerChip(all),
    batteryChip(all),
    climateChip(all),
    offlineChip(all),
  ]
    .filter((chip) => chip !== null)
    .sort((one, other) => Number(other.isLoud === true) - Number(one.isLoud === true))
    .slice(0, MOST);
  if (chips.length === 0 && house.value === null) return null;
  const here = path() + query();
  return (
    <>
      <ul class="house" aria-label={t("house.label")}>
        {house.value !== null && (
          <li>
            <ModeChip />
          </li>
        )}
        {chips.map(({ key, icon, value, about, to, isLoud = false }) => (
          <li key={key}>
            <a href={to} data-loud={isLoud} {...(to === here ? { "aria-current": "true" as const } : {})}>
              <Icon name={icon} />
              <span>
                <strong>{value}</strong>
                <span class="soft small">
                  <Name text={about} most={CHIP} />
                </span>
              </span>
            </a>
          </li>
        ))}
      </ul>
      <HousePlace />
    </>
  );
}

const MOST = 6;
/** Letters that the second line of a fact has room for. */
const CHIP = 30;

function onChip(all: readonly Device[]): HouseChip | null {
  const on = all.filter(runs);
  if (!all.some((device) => typeof device.state.power === "boolean" || device.type === "home-hub")) return null;
  const value = on.length === 0 ? t("house.nothing") : number(on.length, 0);
  return { key: "on", icon: "lightbulb", value, about: t("house.on"), to: "/?show=on" };
}

/** Gates have their own place above. */
function openChip(all: readonly Device[]): HouseChip | null {
  const doors = all.filter(({ type }) => type === "lock" || type === "cover");
  const locks = all.filter(({ type }) => type === "lock");
  if (doors.length === 0) return null;
  const open = doors.filter(isOpen);
  const unlocked = open.filter(({ type }) => type === "lock");
  if (unlocked.length > 0)
    return {
      ...{ key: "open", icon: "lockOpen", to: "/?show=open", isLoud: true },
      value: t("device.unlocked"),
      about: unlocked.length === 1 ? (unlocked[0]?.name ?? "") : t("house.doors", { n: unlocked.length }),
    };
  if (locks.length > 0) return lockChip(locks);
  const value = open.length === 0 ? t("house.nothing") : number(open.length, 0);
  return { key: "open", icon: "blinds", value, about: t("house.open"), to: "/?show=open" };
}

/** Locks of which none is known to be open. One that is away, or has said nothing, is not said to be locked. */
function lockChip(locks: readonly Device[]): HouseChip {
  const locked = locks.filter((lock) => lock.online && lock.state.locked === true);
  const [n, all] = [locked.length, locks.length];
  const isPart = n > 0 && n < all;
  const about = isPart ? t("house.doorsUnknown", { n: all - n }) : t("house.doors", { n: all });
  return {
    ...{ key: "open", icon: n < all ? "lockOpen" : "lock", isLoud: n < all },
    to: all === 1 ? `/devices/${encodeURIComponent(locks[0]?.id ?? "")}` : "/devices",
    value: isPart ? t("house.locked", { n }) : t(n === 0 ? "house.notKnown" : "device.locked"),
    about: all === 1 ? (locks[0]?.name ?? "") : about,
  };
}

function climateChip(all: readonly Device[]): HouseChip | null {
  const measures = (device: Device): boolean => device.online && typeof device.state.temperature === "number";
  const device = all.find((one) => one.type === "thermostat" && measures(one)) ?? all.find(measures);
  if (device === undefined) return null;
  const value = measured("temperature", Number(shownState(device).temperature));
  return {
    key: "climate",
    icon: "thermometer",
    value,
    about: device.room ?? device.name,
    to: `/devices/${encodeURIComponent(device.id)}`,
  };
}

function powerChip(all: readonly Device[]): HouseChip | null {
  const devices = new Map(all.map((device) => [device.id, device]));
  const wattsOf = (id: string): number | null => {
    const device = devices.get(id);
    return device?.online && typeof device.state.watts === "number" ? device.state.watts : null;
  };
  const watts = powerNow(
    energyRoles.value.map(({ deviceId, ...place }) => ({ ...place, id: deviceId, watts: wattsOf(deviceId) })),
  );
  if (watts === null) return null;
  return {
    key: "power",
    icon: "zap",
    value: withUnit(number(watts, 0), "W"),
    about: t("home.energyNow"),
    to: "/energy",
  };
}

/** Who came in and is not known to have left; those that usually would have left by now only where there is no other. */
function carsChip(): HouseChip | null {
  const { here, mayHaveLeft } = carsInside(inside.value);
  const cars = here.length > 0 ? here : mayHaveLeft;
  if (cars.length === 0) return null;
  const named = cars.length === 1 && here.length > 0 ? cars[0] : undefined;
  const about = named?.label || named?.formatted || t(here.length > 0 ? "house.carsInside" : "house.carsMayHaveLeft");
  return { key: "cars", icon: "car", value: t("house.cars", { n: cars.length }), about, to: "/gate/vehicles" };
}

/** It can wait: never loud. */
function batteryChip(all: readonly Device[]): HouseChip | null {
  const weak = weakBatteries(all);
  const [first] = weak;
  if (first === undefined) return null;
  return {
    ...{ key: "battery", icon: "batteryLow", to: "/?show=battery" },
    value: t("home.countBattery", { n: weak.length }),
    about: weak.length === 1 ? first.name : t("house.batteries", { n: all.length }),
  };
}

function offlineChip(all: readonly Device[]): HouseChip | null {
  const offline = all.filter(isAway);
  const [first] = offline;
  if (first === undefined) return null;
  return {
    ...{ key: "offline", icon: "wifiOff", to: "/?show=offline", isLoud: true },
    value: t("home.countOffline", { n: offline.length }),
    about: offline.length === 1 ? first.name : t("house.ofDevices", { n: all.length }),
  };
}
