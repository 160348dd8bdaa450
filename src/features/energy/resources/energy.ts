import { type Static, Type } from "typebox";
import { closed, dateTime, nullable, oneOf, text } from "../../../core/api/fields.ts";
import { ENERGY_ROLES } from "../rules/house-energy.ts";

const kwh = (description?: string) => Type.Number(description === undefined ? {} : { description });
/** A time of day on a quarter hour. */
const quarterTime = () =>
  Type.String({ pattern: "^([01]\\d|2[0-3]):(00|15|30|45)$", examples: ["22:00"], description: "On a quarter hour." });
const price = (description?: string) =>
  Type.Number({ minimum: 0, maximum: 1_000_000, ...(description === undefined ? {} : { description }) });
/** A day of the household's calendar. */
export function localDate(description: string) {
  return Type.String({
    pattern: "^[12]\\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$",
    description,
    examples: ["2026-03-01"],
  });
}

const TariffPeriod = Type.Object(
  {
    days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
      maxItems: 7,
      description: "1 = Monday … 7 = Sunday; empty: every day.",
    }),
    from: quarterTime(),
    to: Type.String({
      pattern: "^([01]\\d|2[0-3]):(00|15|30|45)$",
      examples: ["06:00"],
      description: "At or before `from`: over midnight.",
    }),
    perKwh: price(),
  },
  { ...closed, title: "TariffPeriod" },
);

const TariffPrices = Type.Object(
  {
    validFrom: nullable(localDate("First day of these prices; null: from the beginning.")),
    perKwh: price("At all times that no period names."),
    exportPerKwh: price("What the grid pays for energy that goes back."),
    periods: Type.Array(TariffPeriod, { maxItems: 24, description: "The first that fits counts." }),
  },
  { ...closed, title: "TariffPrices" },
);

/** What energy costs. */
export const EnergyTariff = Type.Object(
  {
    currency: text(3, { minLength: 3, description: "ISO 4217.", examples: ["INR"] }),
    prices: Type.Array(TariffPrices, { minItems: 1, maxItems: 50 }),
  },
  { ...closed, title: "EnergyTariff" },
);

const roleMembers = {
  deviceId: Type.String({ minLength: 1, maxLength: 64 }),
  role: oneOf([...ENERGY_ROLES], {
    description:
      "grid: the house's meter; solar: what makes energy; battery: what stores it; load: what uses it; none: left out.",
  }),
  behind: nullable(Type.String({ minLength: 1, maxLength: 64 }), {
    description: "The load whose meter measures this load too. Never added to it.",
  }),
  reversed: Type.Boolean({ description: "The meter is mounted the other way round." }),
};

/** The role of a device's meter. */
export const EnergyRoleInput = Type.Object(roleMembers, { ...closed, title: "EnergyRoleInput" });

const EnergyRole = Type.Object(
  { ...roleMembers, chosen: Type.Boolean({ description: "The owner said so; false: what the hub takes it for." }) },
  { title: "EnergyRole" },
);

/** A household's energy settings. */
export const EnergySettings = Type.Object(
  {
    tariff: nullable(EnergyTariff),
    roles: Type.Array(EnergyRole, { description: "Every device that measures energy." }),
  },
  { title: "EnergySettings" },
);

/** Energy settings as a value. */
export type EnergySettings = Static<typeof EnergySettings>;

const sums = {
  used: kwh("What the house used, kWh."),
  fromGrid: kwh(),
  toGrid: kwh(),
  solar: kwh(),
  fromBattery: kwh(),
  toBattery: kwh(),
  untracked: nullable(kwh(), {
    description: "What no device of its own measures; null where nothing measures the house.",
  }),
  cost: nullable(Type.Number(), {
    description: "What came from the grid at the time's price, less what the grid paid; null without prices.",
  }),
};

const EnergySums = Type.Object(sums, { title: "EnergySums" });

const HouseBucket = Type.Object(
  { at: dateTime({ description: "Start of the hour, the local day or the local month." }), ...sums },
  { title: "HouseEnergyBucket" },
);

const DeviceEnergy = Type.Object(
  {
    deviceId: Type.String(),
    role: oneOf([...ENERGY_ROLES]),
    behind: nullable(Type.String()),
    kwh: kwh("Used; of the grid what came in, of a battery what went in, of a solar plant what it made."),
    kwhBack: kwh("Of the grid what went back, of a battery what came out."),
    kwhOwn: kwh("Without what devices behind it used."),
    kwhBefore: kwh("Of the time before, as far as that had come by then."),
    cost: nullable(Type.Number(), { description: "What a load's energy would cost from the grid." }),
    source: oneOf(["counter", "power"], {
      description: "By the device's own counter, or by the integral of its power.",
    }),
    estimated: Type.Boolean({ description: "Some of it was spread over a gap, or worked out from means." }),
    series: Type.Array(Type.Number(), { description: "kWh of each bucket." }),
    seriesOwn: Type.Array(Type.Number(), { description: "Without what devices behind it used." }),
  },
  { title: "DeviceEnergy" },
);

/** The energy a house used. */
export const HouseEnergy = Type.Object(
  {
    period: oneOf(["day", "week", "month", "year"]),
    date: localDate("First day of the period."),
    timeZone: Type.String(),
    currency: nullable(Type.String()),
    from: dateTime(),
    to: dateTime(),
    sums: EnergySums,
    buckets: Type.Array(HouseBucket, { description: "Hours of a day, days of a week or month, months of a year." }),
    devices: Type.Array(DeviceEnergy),
    before: Type.Object(
      {
        from: dateTime(),
        sums: EnergySums,
        soFar: EnergySums,
        used: Type.Array(Type.Number(), { description: "kWh of each of its hours, days or months." }),
      },
      { title: "EnergyBefore", description: "The period before: the whole of it, and as far as this one has come." },
    ),
    unplaced: Type.Array(Type.String(), {
      description: "Energy meters that are left out until the owner says what they measure.",
    }),
  },
  { title: "HouseEnergy" },
);

/** A house's energy as a value. */
export type HouseEnergy = Static<typeof HouseEnergy>;
