import activity from "lucide-static/icons/activity.svg?raw";
import arrowDown from "lucide-static/icons/arrow-down.svg?raw";
import arrowDownLeft from "lucide-static/icons/arrow-down-left.svg?raw";
import arrowLeft from "lucide-static/icons/arrow-left.svg?raw";
import arrowUp from "lucide-static/icons/arrow-up.svg?raw";
import arrowUpRight from "lucide-static/icons/arrow-up-right.svg?raw";
import baby from "lucide-static/icons/baby.svg?raw";
import bath from "lucide-static/icons/bath.svg?raw";
import batteryLow from "lucide-static/icons/battery-low.svg?raw";
import bedDouble from "lucide-static/icons/bed-double.svg?raw";
import bell from "lucide-static/icons/bell.svg?raw";
import blinds from "lucide-static/icons/blinds.svg?raw";
import blocks from "lucide-static/icons/blocks.svg?raw";
import briefcase from "lucide-static/icons/briefcase.svg?raw";
import camera from "lucide-static/icons/camera.svg?raw";
import car from "lucide-static/icons/car.svg?raw";
import carFront from "lucide-static/icons/car-front.svg?raw";
import check from "lucide-static/icons/check.svg?raw";
import chevronLeft from "lucide-static/icons/chevron-left.svg?raw";
import chevronRight from "lucide-static/icons/chevron-right.svg?raw";
import chevronsRight from "lucide-static/icons/chevrons-right.svg?raw";
import circleAlert from "lucide-static/icons/circle-alert.svg?raw";
import circleCheck from "lucide-static/icons/circle-check.svg?raw";
import circle from "lucide-static/icons/circle-dashed.svg?raw";
import help from "lucide-static/icons/circle-question-mark.svg?raw";
import clapperboard from "lucide-static/icons/clapperboard.svg?raw";
import list from "lucide-static/icons/clipboard-list.svg?raw";
import clock from "lucide-static/icons/clock.svg?raw";
import code from "lucide-static/icons/code-xml.svg?raw";
import cookingPot from "lucide-static/icons/cooking-pot.svg?raw";
import copy from "lucide-static/icons/copy.svg?raw";
import cpu from "lucide-static/icons/cpu.svg?raw";
import database from "lucide-static/icons/database.svg?raw";
import doorOpen from "lucide-static/icons/door-open.svg?raw";
import download from "lucide-static/icons/download.svg?raw";
import more from "lucide-static/icons/ellipsis.svg?raw";
import eye from "lucide-static/icons/eye.svg?raw";
import fan from "lucide-static/icons/fan.svg?raw";
import fence from "lucide-static/icons/fence.svg?raw";
import gauge from "lucide-static/icons/gauge.svg?raw";
import grip from "lucide-static/icons/grip-vertical.svg?raw";
import health from "lucide-static/icons/heart-pulse.svg?raw";
import house from "lucide-static/icons/house.svg?raw";
import hub from "lucide-static/icons/layout-grid.svg?raw";
import lightbulb from "lucide-static/icons/lightbulb.svg?raw";
import filter from "lucide-static/icons/list-filter.svg?raw";
import lock from "lucide-static/icons/lock.svg?raw";
import lockOpen from "lucide-static/icons/lock-open.svg?raw";
import pin from "lucide-static/icons/map-pin.svg?raw";
import minus from "lucide-static/icons/minus.svg?raw";
import moon from "lucide-static/icons/moon.svg?raw";
import network from "lucide-static/icons/network.svg?raw";
import palette from "lucide-static/icons/palette.svg?raw";
import pause from "lucide-static/icons/pause.svg?raw";
import pencil from "lucide-static/icons/pencil.svg?raw";
import play from "lucide-static/icons/play.svg?raw";
import plug from "lucide-static/icons/plug.svg?raw";
import plus from "lucide-static/icons/plus.svg?raw";
import power from "lucide-static/icons/power.svg?raw";
import radio from "lucide-static/icons/radio.svg?raw";
import refresh from "lucide-static/icons/refresh-cw.svg?raw";
import scroll from "lucide-static/icons/scroll-text.svg?raw";
import search from "lucide-static/icons/search.svg?raw";
import settings from "lucide-static/icons/settings.svg?raw";
import share from "lucide-static/icons/share-2.svg?raw";
import shield from "lucide-static/icons/shield-check.svg?raw";
import sofa from "lucide-static/icons/sofa.svg?raw";
import square from "lucide-static/icons/square.svg?raw";
import star from "lucide-static/icons/star.svg?raw";
import sunset from "lucide-static/icons/sunset.svg?raw";
import thermometer from "lucide-static/icons/thermometer.svg?raw";
import toggle from "lucide-static/icons/toggle-right.svg?raw";
import trash from "lucide-static/icons/trash-2.svg?raw";
import trees from "lucide-static/icons/trees.svg?raw";
import upload from "lucide-static/icons/upload.svg?raw";
import user from "lucide-static/icons/user-round.svg?raw";
import users from "lucide-static/icons/users.svg?raw";
import wand from "lucide-static/icons/wand-sparkles.svg?raw";
import warehouse from "lucide-static/icons/warehouse.svg?raw";
import wifiOff from "lucide-static/icons/wifi-off.svg?raw";
import x from "lucide-static/icons/x.svg?raw";
import zap from "lucide-static/icons/zap.svg?raw";

const ICONS = {
  activity,
  arrowDownLeft,
  arrowUpRight,
  arrowDown,
  arrowUp,
  baby,
  bath,
  batteryLow,
  bedDouble,
  briefcase,
  carFront,
  cookingPot,
  sofa,
  trees,
  users,
  warehouse,
  bell,
  blocks,
  blinds,
  camera,
  car,
  check,
  chevronLeft,
  chevronRight,
  circleAlert,
  help,
  chevronsRight,
  download,
  user,
  upload,
  play,
  filter,
  circleCheck,
  circle,
  sunset,
  network,
  moon,
  clapperboard,
  clock,
  code,
  database,
  copy,
  cpu,
  doorOpen,
  eye,
  fan,
  fence,
  gauge,
  house,
  hub,
  health,
  list,
  lightbulb,
  lock,
  lockOpen,
  minus,
  more,
  pin,
  palette,
  pause,
  pencil,
  plug,
  plus,
  radio,
  refresh,
  scroll,
  power,
  settings,
  share,
  shield,
  star,
  thermometer,
  toggle,
  trash,
  wand,
  wifiOff,
  arrowLeft,
  grip,
  search,
  square,
  x,
  zap,
};

/** Name of an icon in the bundle. */
export type IconName = keyof typeof ICONS;

/** Icon of a device type; unknown types get the generic one. */
export function deviceIcon(type: string): IconName {
  const byType: Record<string, IconName> = {
    "home-hub": "hub",
    "smart-plug": "plug",
    camera: "camera",
    sentinel: "shield",
    light: "lightbulb",
    dimmer: "lightbulb",
    fan: "fan",
    cover: "blinds",
    gate: "fence",
    lock: "lock",
    sensor: "activity",
    "energy-meter": "zap",
    switch: "toggle",
    thermostat: "thermometer",
  };
  return byType[type] ?? "cpu";
}

/** Names that a room's icon may have; the hub keeps the name. */
export const ROOM_ICONS = [
  "room",
  "living",
  "kitchen",
  "bedroom",
  "children",
  "bathroom",
  "office",
  "garage",
  "store",
  "garden",
  "home",
] as const;

/** Icon of a room; names that are not the console's get the generic one. */
export function roomIcon(name: string): IconName {
  const byName: Readonly<Record<string, IconName>> = {
    living: "sofa",
    kitchen: "cookingPot",
    bedroom: "bedDouble",
    children: "baby",
    bathroom: "bath",
    office: "briefcase",
    garage: "carFront",
    store: "warehouse",
    garden: "trees",
    home: "house",
  };
  return byName[name] ?? "doorOpen";
}

/** Icon of a scene; names that are not the console's get the generic one. */
export function sceneIcon(name: string): IconName {
  const byName: Readonly<Record<string, IconName>> = {
    shield: "shield",
    house: "house",
    sunset: "sunset",
    moon: "moon",
  };
  return byName[name] ?? "play";
}

/** A decorative icon; the words beside it carry the meaning. */
export function Icon({ name, small = false }: { name: IconName; small?: boolean }) {
  // The markup is a file of the bundle, never data.
  return (
    <span class={small ? "icon s" : "icon"} aria-hidden="true" dangerouslySetInnerHTML={{ __html: ICONS[name] }} />
  );
}
