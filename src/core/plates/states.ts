/** Codes of Indian states and union territories that are issued today. */
export const CURRENT_STATES: readonly string[] =
  "AN AP AR AS BR CG CH DD DL GA GJ HP HR JH JK KA KL LA LD MH ML MN MP MZ NL OD PB PY RJ SK TG TN TR UK UP WB".split(
    " ",
  );

/**
 * Codes that are no longer issued but still on the road: DN (into DD, 2020), OR (OD since 2012), UA (UK since 2007), TS
 * (TG since 2024).
 */
export const RETIRED_STATES: readonly string[] = ["DN", "OR", "TS", "UA"];

/** Every code that may begin a plate. */
export const STATES: readonly string[] = [...CURRENT_STATES, ...RETIRED_STATES];

const KNOWN: ReadonlySet<string> = new Set(STATES);

/** Whether `code` is a state or union-territory code, current or retired. */
export function isState(code: string): boolean {
  return KNOWN.has(code);
}

/** States and territories with so few vehicles that hardly any office got beyond series of one letter. */
const FEW_VEHICLES: ReadonlySet<string> = new Set("AN AR DD DN LA LD ML MN MZ NL PY SK TR".split(" "));

/** Whether a state has so few vehicles that series of two letters are rare there. */
export function hasFewVehicles(state: string): boolean {
  return FEW_VEHICLES.has(state);
}

/** Highest known district number of each state. Only a hint: new offices open all the time. */
const HIGHEST_DISTRICT: Readonly<Record<string, number>> = {
  AN: 2,
  AP: 40,
  AR: 28,
  AS: 34,
  BR: 57,
  CG: 31,
  CH: 4,
  DD: 3,
  DL: 20,
  DN: 9,
  GA: 12,
  GJ: 39,
  HP: 99,
  HR: 99,
  JH: 24,
  JK: 22,
  KA: 71,
  KL: 99,
  LA: 2,
  LD: 9,
  MH: 60,
  ML: 14,
  MN: 16,
  MP: 70,
  MZ: 11,
  NL: 12,
  OD: 35,
  OR: 35,
  PB: 91,
  PY: 5,
  RJ: 58,
  SK: 8,
  TG: 40,
  TN: 99,
  TR: 8,
  TS: 40,
  UA: 20,
  UK: 20,
  UP: 96,
  WB: 98,
};

/** Whether the district number is within the known ones. */
export function districtIsKnown(state: string, district: number): boolean {
  return district >= 1 && district <= (HIGHEST_DISTRICT[state] ?? 99);
}
