import t from "tap";
import {
  type EnergyPlace,
  houseEnergy,
  type MeteredDevice,
  placesOf,
  powerNow,
} from "../../../src/features/energy/rules/house-energy.ts";

const NOTHING = { imported: [], exported: [], cost: null, paid: null, behind: null, reversed: false } as const;

function device(id: string, role: MeteredDevice["role"], values: Partial<MeteredDevice> = {}): MeteredDevice {
  return { ...NOTHING, id, role, ...values };
}

/** Sums rounded, so that they can be compared. */
function rounded<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_, one) => (typeof one === "number" ? Math.round(one * 1e6) / 1e6 : one));
}

t.test("a single meter is the house's; with several it is unknown; the owner's choice wins", async (t) => {
  const meter = (id: string, measures = true) => ({ id, type: "energy-meter", measures });
  const plug = { id: "plug", type: "smart-plug", measures: true };
  const rolesOf = (devices: Parameters<typeof placesOf>[0], chosen: [string, EnergyPlace][] = []) =>
    Object.fromEntries([...placesOf(devices, new Map(chosen))].map(([id, { role }]) => [id, role]));
  const chosen = (role: EnergyPlace["role"]): EnergyPlace => ({ role, behind: null, reversed: true });
  t.same(rolesOf([meter("main"), plug, { id: "lamp", type: "light", measures: false }]), {
    main: "grid",
    plug: "load",
  });
  t.same(rolesOf([meter("one"), meter("two"), plug]), { one: "none", two: "none", plug: "load" });
  t.same(rolesOf([meter("one"), meter("two")], [["one", chosen("solar")]]), { one: "solar", two: "grid" });
  t.same(rolesOf([meter("one"), meter("two")], [["one", chosen("grid")]]), { one: "grid", two: "none" });
  t.same(rolesOf([meter("main", false)]), {}, "it measures nothing");
  t.same(rolesOf([meter("main", false)], [["main", chosen("grid")]]), { main: "grid" }, "but the owner chose it");
  t.same(placesOf([plug], new Map([["plug", chosen("load")]])).get("plug"), chosen("load"));
  t.same(placesOf([plug], new Map()).get("plug"), { role: "load", behind: null, reversed: false });
});

t.test("the current power: the house's meter plus production and storage, or else the loads, none twice", async (t) => {
  const now = (id: string, role: EnergyPlace["role"], watts: number | null, more: Partial<EnergyPlace> = {}) => ({
    id,
    role,
    watts,
    behind: null,
    reversed: false,
    ...more,
  });
  t.equal(powerNow([]), null);
  t.equal(powerNow([now("plug", "load", null)]), null);
  t.equal(powerNow([now("plug", "load", 0)]), 0);
  t.equal(powerNow([now("grid", "grid", 500), now("plug", "load", 60)]), 500);
  t.equal(powerNow([now("grid", "grid", -500, { reversed: true })]), 500);
  t.equal(powerNow([now("grid", "grid", 100), now("roof", "solar", -300)]), 400, "a plant's sign follows the meter's");
  t.equal(powerNow([now("grid", "grid", 100), now("roof", "solar", 300)]), 400);
  t.equal(powerNow([now("grid", "grid", 500), now("cell", "battery", 200)]), 300, "charging is not consumption");
  t.equal(powerNow([now("grid", "grid", 500), now("cell", "battery", -200)]), 700, "discharging is");
  t.equal(powerNow([now("grid", "grid", -500)]), 0, "never below zero");
  t.equal(powerNow([now("grid", "grid", null), now("plug", "load", 60)]), 60, "the house's meter reports nothing");
  const strip = now("strip", "load", 100);
  t.equal(powerNow([strip, now("lamp", "load", 30, { behind: "strip" })]), 100);
  t.equal(powerNow([now("strip", "load", null), now("lamp", "load", 30, { behind: "strip" })]), 30);
  t.equal(powerNow([now("lamp", "load", 30, { behind: "gone" })]), 30);
  t.equal(powerNow([strip, now("fan", "load", -5), now("other", "none", 900)]), 100);
});

t.test("consumption, purchases and sales of a house with a plant and a battery, bucket by bucket", async (t) => {
  const house = houseEnergy(
    [
      device("main", "grid", {
        imported: [1, 4, 9],
        exported: [0, 1, 9],
        cost: [10, 40, 90],
        paid: [0, 3, 9],
      }),
      device("roof", "solar", { imported: [0, 0.1, 0], exported: [0, 5, 7] }),
      device("cell", "battery", { imported: [0, 2, 0], exported: [0.5, 0, 0] }),
      device("heater", "load", { imported: [0.5, 3, 4], cost: [5, 30, 40] }),
      device("pump", "load", { imported: [0.25, 1, 2], cost: [2, 10, 20], behind: "heater" }),
      device("other", "none", { imported: [7, 7, 7] }),
    ],
    0,
    2,
  );
  t.same(rounded(house.buckets), [
    {
      used: 1.5,
      fromGrid: 1,
      toGrid: 0,
      solar: 0,
      fromBattery: 0.5,
      toBattery: 0,
      untracked: 1,
      cost: 10,
    },
    { used: 6, fromGrid: 4, toGrid: 1, solar: 5, fromBattery: 0, toBattery: 2, untracked: 3, cost: 37 },
  ]);
  t.same(rounded(house.sums), {
    used: 7.5,
    fromGrid: 5,
    toGrid: 1,
    solar: 5,
    fromBattery: 0.5,
    toBattery: 2,
    untracked: 4,
    cost: 47,
  });
  t.same(
    rounded(house.devices).map(({ id, behind, kwh, kwhBack, kwhOwn, cost }) => [
      id,
      behind,
      kwh,
      kwhBack,
      kwhOwn,
      cost,
    ]),
    [
      ["main", null, 5, 1, 5, null],
      ["roof", null, 5, 0, 5, null],
      ["cell", null, 2, 0.5, 2, null],
      ["heater", null, 3.5, 0, 2.25, 35],
      ["pump", "heater", 1.25, 0, 1.25, 12],
    ],
  );
  t.same(house.devices.find(({ id }) => id === "heater")?.series, [0.5, 3]);
  t.same(house.devices.find(({ id }) => id === "heater")?.seriesOwn, [0.25, 2]);
  const later = houseEnergy([device("main", "grid", { imported: [1, 4, 9], exported: [0, 1, 9] })], 1, 3);
  t.same([later.sums.fromGrid, later.sums.toGrid, later.buckets.length], [13, 10, 2]);
  t.equal(later.sums.cost, null);
});

t.test("without its own meter the house used what its loads did, and nested ones only once", async (t) => {
  const house = houseEnergy(
    [
      device("heater", "load", { imported: [2], cost: [20], paid: [5] }),
      device("pump", "load", { imported: [3], behind: "heater" }),
      device("lamp", "load", { imported: [1], behind: "gone" }),
      device("fan", "load", { imported: [1], behind: "roof" }),
      device("roof", "solar", { imported: [6], exported: [1] }),
    ],
    0,
    1,
  );
  t.match(house.sums, { used: 4, untracked: null, cost: 20, solar: 6 });
  t.equal(house.devices.find(({ id }) => id === "heater")?.kwhOwn, 0, "never below zero");
  t.equal(house.devices.find(({ id }) => id === "lamp")?.behind, null);
  t.equal(house.devices.find(({ id }) => id === "fan")?.behind, null, "a plant measures no load");
  t.match(
    house.devices.find(({ id }) => id === "roof"),
    { kwh: 6, kwhBack: 0 },
  );
  const sold = houseEnergy([device("main", "grid", { imported: [1], exported: [5] })], 0, 1);
  t.equal(sold.sums.used, 0, "a wrong meter makes nothing negative");
  t.equal(sold.sums.untracked, 0);
});
