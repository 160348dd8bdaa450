/** What people type when they look for a part of a rule, in both languages, beside the words that are shown. */

/** The synonyms of a value by its usual name. */
const OF_FIELDS: Readonly<Record<string, string>> = {
  temperature: "temperature hot heat warm cold degrees weather तापमान गर्मी ठंड गरम ठंडा",
  target: "temperature target thermostat heat warm set degrees तापमान गर्मी थर्मोस्टेट",
  humidity: "humidity humid damp moisture wet नमी उमस",
  soil: "soil moisture dry watering plants मिट्टी नमी",
  motion: "motion movement moves presence person somebody occupancy हलचल गति कोई",
  contact: "contact door window open closed shut दरवाज़ा खिड़की खुला बंद",
  leak: "leak leakage water wet flood रिसाव पानी",
  smoke: "smoke fire burning धुआँ आग",
  gas: "gas lpg leak गैस रिसाव",
  alarm: "alarm siren alert अलार्म सायरन",
  armed: "alarm armed armed guard अलार्म पहरा",
  battery: "battery charge low empty बैटरी चार्ज",
  illuminance: "illuminance light lux dark darkness bright रोशनी अँधेरा अंधेरा",
  brightness: "brightness dim dimmer bright light चमक रोशनी मंद",
  power: "power on off switch switched चालू बंद बिजली",
  watts: "power watts consumption energy electricity load बिजली वाट खपत",
  kwh: "energy electricity consumption बिजली खपत",
  heating: "heating heat warm गर्मी",
  cooling: "cooling cool cold ac ठंड",
  mode: "mode heat cool auto off मोड",
  position: "position open closed shut shutter blind curtain खुला बंद परदा",
  gate: "gate open closed shut गेट खुला बंद",
  door: "door open closed shut दरवाज़ा खुला बंद",
  open: "open closed shut खुला बंद",
  locked: "lock locked unlocked door ताला बंद खुला",
  speed: "speed fan गति पंखा",
  co2: "co2 air quality stale हवा",
};
/** Of what is not a value: parts of a rule, by their type. */
const OF_PARTS: Readonly<Record<string, string>> = {
  plate: "car vehicle plate gate arrival arrives leaves visitor गाड़ी कार गेट",
  occupancy: "home away family people presence nobody somebody leave arrive car घर परिवार कोई गाड़ी",
  house: "house home away night holiday vacation sleep bedtime mode leave घर बाहर रात छुट्टी सोना ढंग",
  presence:
    "home away family people person presence nobody somebody everybody leave leaves leaving left arrive arrives come comes first last phone घर परिवार कोई आना जाना बाहर",
  sun: "sun dark darkness night evening morning dusk dawn light अँधेरा अंधेरा रात शाम सुबह सूरज",
  time: "time clock hour day weekday weekdays weekend daily every schedule night morning evening monday tuesday wednesday thursday friday saturday sunday समय घड़ी दिन रोज़ सप्ताह",
  days: "day weekday weekdays weekend monday tuesday wednesday thursday friday saturday sunday दिन सप्ताह",
  interval: "every repeat minutes timer regularly हर बार मिनट",
  device: "offline online disconnected connection lost unreachable ऑफ़लाइन ऑनलाइन",
  notify: "notify notification message tell alert alarm send phone push picture संदेश सूचना बताएँ अलार्म",
  scene: "scene दृश्य",
  delay: "wait delay pause timer minutes later रुकें देर",
};
/** Of kinds of devices. */
const OF_KINDS: Readonly<Record<string, string>> = {
  thermostat: "thermostat climate heating heat ac temperature थर्मोस्टेट गर्मी",
  light: "light lamp bulb बत्ती लाइट",
  dimmer: "light lamp dimmer बत्ती लाइट",
  fan: "fan पंखा",
  cover: "shutter blind curtain परदा शटर",
  lock: "lock door ताला",
  gate: "gate गेट",
  camera: "camera picture कैमरा तस्वीर",
  sensor: "sensor सेंसर",
  sentinel: "alarm siren sentinel अलार्म सायरन",
  switch: "switch plug socket स्विच",
  plug: "plug socket switch प्लग",
};

/** The synonyms of a value. @param base its usual name, whatever its maker calls it */
export function wordsOfField(base: string): string {
  const plain = base.split(".").at(-1)?.replace(/\d+$/, "") ?? base; // a.b, power2
  return OF_FIELDS[base] ?? OF_FIELDS[plain === "water_leak" ? "leak" : plain] ?? "";
}

/** The synonyms of a part of a rule. */
export function wordsOfPart(type: string): string {
  return OF_PARTS[type] ?? "";
}

/** The synonyms of a kind of device. */
export function wordsOfKind(type: string): string {
  return OF_KINDS[type] ?? "";
}

/** What can be looked for. */
export interface Findable {
  readonly text: string;
  readonly group?: string;
  /** Synonyms. */
  readonly words?: string;
  /** One of many: shown only to those who look for it. */
  readonly isFurther?: boolean;
}

/**
 * What was looked for: every typed word begins one of its words, what shows them before what only means them; where
 * nothing does, a part of a word is enough. Nothing typed: what is offered without being looked for.
 */
export function found<One extends Findable>(all: readonly One[], typed: string): readonly One[] {
  const wanted = wordsIn(typed);
  if (wanted.length === 0) return all.filter(({ isFurther }) => isFurther !== true);
  const begins = (have: readonly string[]): boolean => wanted.every((word) => have.some((one) => one.startsWith(word)));
  const byText = all.filter((one) => begins(wordsOf(one).shown));
  const isShown = new Set(byText);
  const byMeaning = all.filter((one) => !isShown.has(one) && begins(wordsOf(one).all));
  if (byText.length + byMeaning.length > 0) return [...byText, ...byMeaning];
  return all.filter((one) => wanted.every((word) => wordsOf(one).shown.some((have) => have.includes(word))));
}

interface Words {
  readonly shown: readonly string[];
  /** Those that are shown, and the synonyms. */
  readonly all: readonly string[];
}

/** Every typed letter asks for all that is offered again. */
const known = new WeakMap<Findable, Words>();

function wordsOf(one: Findable): Words {
  const before = known.get(one);
  if (before !== undefined) return before;
  const { text, group = "", words = "" } = one;
  const shown = wordsIn(`${text} ${group}`);
  const made = { shown, all: [...shown, ...wordsIn(words)] };
  known.set(one, made);
  return made;
}

/** The words of a text, as they are compared. */
function wordsIn(text: string): string[] {
  return text
    .normalize("NFC")
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}%°]+/u)
    .filter((word) => word !== "");
}
