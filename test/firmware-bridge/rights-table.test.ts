/**
 * The table of rights, family by family, with the usual base topics and with the owner's own; which topics no device of
 * a make can have, and why. Compared with test/fixtures/in-full/rights.json, rewritten as in-full.test.ts explains: a
 * change there changes what a client may publish and hear.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { FAMILIES } from "../../firmware-bridge/families.ts";
import { familiesOf, rightsOf, unfit, zones } from "../../firmware-bridge/rights.ts";
import { TopicRights } from "../../firmware-bridge/topic-rights.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { fixtureText } from "../support/fixture-text.ts";

const FILE = join(PROJECT_ROOT, "test/fixtures/in-full/rights.json");
const NAMES = FAMILIES.map(({ name }) => name);
const PREFIXES = {
  usual: new Map(FAMILIES.map(({ name, prefix }) => [name, prefix])),
  "of the owner": new Map<string, string | null>(
    FAMILIES.map(({ name, prefix }) => [name, prefix === null ? null : `own/${name}`]),
  ),
  none: new Map<string, string | null>(),
};
const FILTERS = [
  ...["#", "+/x", "/x", "", "$SYS/x", "$share/a/b", "gatehouse", "gatehouse/x", "gatehouse/#", "gatehouses/x", "x"],
  ...["x/#", "x/y", "x/+/y", "home", "home/#", "home/+/x", "home/gw/#", "own/#", "own/openmqttgateway/#", "own"],
  ...[
    "cmnd",
    "cmnd/x",
    "cmnd/#",
    "stat/x/#",
    "tele/x",
    "tasmota",
    "tasmota/#",
    "tasmota/discovery",
    "tasmota/discovery/x",
  ],
  ...["tasmota/other", "shellies", "shellies/#", "shellies/x/#", "shelly2hub", "shelly2hub/rpc", "shelly2hub/#"],
  ...["esphome", "esphome/x", "bekens/x", "homeassistant", "homeassistant/x", "homeassistant/#", "own/homeassistant/x"],
  ...[
    "zigbee2mqtt",
    "zigbee2mqtt/#",
    "zigbee2mqtt/x/#",
    "own/zigbee2mqtt/#",
    "own/zigbee2mqtt/x",
    "frigate",
    "frigate/#",
  ],
  ...["frigate/x", "own/frigate/#", "own/esphome/x"],
];
const TOPICS = [
  { name: "aabbccddeeff", says: ["said/one", "said/#"], takes: ["do/one"] },
  { name: "", says: [], takes: [] },
  { name: "a/b", says: ["x"], takes: [] },
];

function table(): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(PREFIXES).map(([which, prefixes]) => [
      which,
      {
        rights: Object.fromEntries(
          [...NAMES, "other", "toString"].map((family) => {
            const { device, ...rest } = rightsOf(family, prefixes);
            return [family, { ...rest, devices: TOPICS.map((topics) => JSON.stringify(device(topics))) }];
          }),
        ),
        zones: zones(prefixes).map((zone) => JSON.stringify(zone)),
        unfit: Object.fromEntries(
          NAMES.map((family) => [
            family,
            FILTERS.map((filter) => {
              const why = (own: boolean, access: { publish: string[]; subscribe: string[] }): string =>
                unfit(family, access, { prefixes, native: "gatehouse", isOwn: () => own }) ?? "-";
              const published = why(false, { publish: [filter], subscribe: [] });
              const taken = why(false, { publish: [], subscribe: ["fine", filter] });
              const owned = why(true, { publish: [filter], subscribe: [] });
              return `${filter}: ${[...new Set([published, taken, owned])].join(" | ")}`;
            }).filter((line) => !line.endsWith(": -")),
          ]),
        ),
      },
    ]),
  );
}

const found = JSON.parse(JSON.stringify(table())) as Record<string, unknown>;
if (process.env.GATEHOUSE_WRITE_IN_FULL === "1") writeFileSync(FILE, fixtureText(found));

t.test("the table of rights is unchanged", async (t) => {
  const wanted = JSON.parse(readFileSync(FILE, "utf8")) as typeof found; // written by the line above
  for (const [which, one] of Object.entries(wanted)) t.same(found[which], one, which);
});

t.test("any credential but Frigate's may also describe its devices in Home Assistant's format", async (t) => {
  t.same(familiesOf(["tasmota"]), ["tasmota", "homeassistant"]);
  t.same(familiesOf(["homeassistant", "esphome"]), ["homeassistant", "esphome"]);
  t.same(familiesOf(["frigate"]), ["frigate"]);
  t.same(familiesOf(["frigate", "tasmota"]), ["frigate", "tasmota", "homeassistant"]);
  t.same(familiesOf([]), []);
});

t.test("a credential's rights follow from its makes and devices alone", async (t) => {
  const rights = new TopicRights({ families: NAMES, prefixes: PREFIXES.usual, native: "gatehouse" });
  const plug = { family: "tasmota", key: "a", client: 1 };
  const topics = { name: "AABBCCDDEEFF", says: ["tele/plug/+", "stat/plug/+"], takes: ["cmnd/plug/#"] };
  t.match(rights.grant(plug, topics), { reason: /^its credential was not accepted for this make$/, holder: null });
  rights.admit(1, ["tasmota", "no such"]);
  rights.admit(2, ["tasmota", "zigbee2mqtt"]);
  t.equal(rights.grant(plug, null), null, "one without topics needs none");
  t.equal(rights.grant(plug, topics), null);
  t.match(rights.grant({ ...plug, key: "b", client: 2 }, topics), {
    reason: /belongs to a device of another/,
    holder: 1,
  });
  t.match(rights.grant({ ...plug, key: "c" }, { ...topics, says: ["gatehouse/x"] }), { reason: /the hub's own/ });
  const may = (client: number, topic: string): string =>
    [
      rights.mayPublish(client, topic) ? "says" : "",
      rights.mayHear(client, topic) ? "hears" : "",
      rights.maySubscribe(client, topic) ? "subscribes" : "",
    ]
      .filter((word) => word !== "")
      .join(" ") || "-";
  const asked = [
    ...[
      "tele/plug/STATE",
      "cmnd/plug/POWER",
      "tasmota/discovery/AABBCCDDEEFF/config",
      "cmnd/tasmotas/x",
      "tele/other/x",
    ],
    ...["tasmota/discovery/X/config", "zigbee2mqtt/bridge/state", "zigbee2mqtt/x/set", "gatehouse/x", "gatehouse", "#"],
    ...["$SYS/x", "shellies/x", "some/topic"],
  ];
  t.same(
    asked.map((topic) => `${topic}: ${[1, 2, 3].map((client) => may(client, topic)).join(" | ")}`),
    [
      "tele/plug/STATE: says hears subscribes | - | -",
      "cmnd/plug/POWER: hears subscribes | - | -",
      "tasmota/discovery/AABBCCDDEEFF/config: says hears subscribes | - | -",
      "cmnd/tasmotas/x: hears subscribes | hears subscribes | -",
      "tele/other/x: subscribes | subscribes | -",
      "tasmota/discovery/X/config: says hears subscribes | says hears subscribes | -",
      "zigbee2mqtt/bridge/state: - | says hears subscribes | -",
      "zigbee2mqtt/x/set: - | hears subscribes | -",
      "gatehouse/x: - | - | -",
      "gatehouse: - | - | -",
      "#: subscribes | subscribes | -",
      "$SYS/x: - | - | -",
      "shellies/x: - | - | -",
      "some/topic: subscribes | subscribes | -",
    ],
  );
  t.ok(rights.mayAnnounce("tasmota/discovery/X/config"));
  t.notOk(rights.mayAnnounce("tasmota/discovery/AABBCCDDEEFF/config"), "another credential has it");
  t.notOk(rights.mayAnnounce("tele/x/STATE"));
  t.notOk(rights.mayAnnounce("gatehouse/connected"), "the hub's own, whatever it looks like");
  t.equal(rights.takeover(2, "tasmota/discovery/AABBCCDDEEFF/config"), 1);
  t.equal(rights.takeover(1, "tasmota/discovery/AABBCCDDEEFF/config"), null);
  t.equal(rights.takeover(2, "tele/plug/STATE"), null, "not an announcement");
  t.same(
    [
      rights.isHeld("tele/plug/X"),
      rights.isHeld("tele/x/X"),
      rights.holds(1, "tele/plug/X"),
      rights.holds(2, "tele/plug/X"),
    ],
    [true, false, true, false],
  );
  t.same(
    ["some/topic", "cmnd/x", "gatehouse/x", "$x", "bekens/x"].map((topic) => rights.isOpen(topic)),
    [true, true, false, false, false],
  );
  for (const key of ["one", "two"])
    t.equal(rights.grant({ family: "zigbee2mqtt", key, client: 2 }, TOPICS[1] ?? null), null);
  rights.release("zigbee2mqtt", "one");
  t.ok(rights.holds(2, "zigbee2mqtt/x"), "its other device keeps the gateway's branch");
  rights.release("zigbee2mqtt", "two");
  rights.release("zigbee2mqtt", "none");
  t.notOk(rights.isHeld("zigbee2mqtt/x"));
  rights.dismiss(1);
  t.equal(may(1, "tele/plug/STATE"), "-");
  t.notOk(rights.isHeld("tele/plug/STATE"));
});
