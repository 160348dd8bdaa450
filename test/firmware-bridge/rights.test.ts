/** No message of one credential reaches or moves anything of another's, whatever its content, for all families. */
import fc from "fast-check";
import t from "tap";
import { FAMILIES } from "../../firmware-bridge/families.ts";
import type { DeviceTopics, TopicAccess } from "../../firmware-bridge/family.ts";
import { familiesOf, rightsOf, unfit, zones } from "../../firmware-bridge/rights.ts";
import { TopicRights } from "../../firmware-bridge/topic-rights.ts";
import { BridgeParts, settled } from "../support/bridge-parts.ts";

t.setTimeout(240_000);

const NAMES = FAMILIES.map(({ name }) => name);
const PREFIXES = new Map(FAMILIES.map(({ name, prefix }) => [name, prefix]));
const TRIPLES = Number(process.env.GATEHOUSE_TEST_TRIPLES ?? 200_000);
const STORIES = Number(process.env.GATEHOUSE_TEST_STORIES ?? 100);

// --- a plain model of the rights: lists, and filters compared level by level ---

interface ModelDevice {
  readonly family: string;
  readonly key: string;
  readonly client: number;
  readonly access: TopicAccess;
}

function fits(filter: readonly string[], topic: readonly string[]): boolean {
  if (filter[0] === "#") return true;
  if (filter.length === 0 || topic.length === 0) return filter.length === topic.length;
  return (filter[0] === "+" || filter[0] === topic[0]) && fits(filter.slice(1), topic.slice(1));
}

function meet(a: readonly string[], b: readonly string[]): boolean {
  if (a[0] === "#" || b[0] === "#") return true;
  if (a.length === 0 || b.length === 0) return a.length === b.length;
  return (a[0] === b[0] || a[0] === "+" || b[0] === "+") && meet(a.slice(1), b.slice(1));
}

const matches = (filter: string, topic: string): boolean => fits(filter.split("/"), topic.split("/"));
const overlap = (a: string, b: string): boolean => meet(a.split("/"), b.split("/"));

class Model {
  readonly accepted = new Map<number, readonly string[]>();
  devices: ModelDevice[] = [];

  grant(family: string, key: string, client: number, topics: DeviceTopics): boolean {
    if (this.accepted.get(client)?.includes(family) !== true) return false;
    const access = rightsOf(family, PREFIXES).device(topics);
    const isOwn = (topic: string): boolean => this.#holder(topic) === client;
    if (unfit(family, access, { prefixes: PREFIXES, native: "gatehouse", isOwn }) !== null) return false;
    const wanted = [...access.publish, ...access.subscribe];
    const others = this.devices
      .filter((device) => device.client !== client)
      .flatMap((device) => [...device.access.publish, ...device.access.subscribe]);
    if (wanted.some((filter) => others.some((other) => overlap(filter, other)))) return false;
    this.release(family, key);
    this.devices.push({ family, key, client, access });
    return true;
  }

  release(family: string, key: string): void {
    this.devices = this.devices.filter((device) => device.family !== family || device.key !== key);
  }

  dismiss(client: number): void {
    this.accepted.delete(client);
    this.devices = this.devices.filter((device) => device.client !== client);
  }

  may(client: number, action: "publish" | "hear", topic: string): boolean {
    const families = this.accepted.get(client);
    if (families === undefined || topic === "gatehouse" || topic.startsWith("gatehouse/") || topic.startsWith("$"))
      return false;
    const holder = this.#holder(topic);
    if (holder !== null && holder !== client) return false;
    const own = this.devices.filter((device) => device.client === client);
    const holds = (side: keyof TopicAccess): boolean =>
      own.some(({ access }) => access[side].some((filter) => matches(filter, topic)));
    if (holder === client)
      return action === "hear" || !holds("subscribe") || own.some(({ access }) => access.publish.includes(topic));
    const rights = families.map((family) => rightsOf(family, PREFIXES));
    const begins = rights.some(({ announces, begins }) =>
      [...announces, ...begins].some((filter) => matches(filter, topic)),
    );
    const hears = rights.some((one) => one.hears.some((filter) => matches(filter, topic)));
    if (action === "hear") return begins || hears;
    const zone = zones(PREFIXES).filter(({ base }) => matches(`${base}/#`, topic));
    const isNamed = rights.some(
      (one) => one.announces.some((filter) => matches(filter, topic)) || one.begins.includes(topic),
    );
    return (
      begins &&
      (!hears || isNamed) &&
      zone.every((one) => one.families.length === 0 || one.families.some((family) => families.includes(family)))
    );
  }

  #holder(topic: string): number | null {
    const all = this.devices.filter(({ access }) =>
      [...access.publish, ...access.subscribe].some((filter) => matches(filter, topic)),
    );
    return all[0]?.client ?? null;
  }
}

/** Words from which topics are made: few, so that they collide. */
const WORDS = [
  ..."tele stat cmnd shellies home homeassistant zigbee2mqtt frigate esphome discover tasmota discovery gatehouse shelly2hub bekens".split(
    " ",
  ),
  ..."kitchen hall gate AABBCC000001 1 relay set get command rpc state status online announce config sensor switch LWT POWER bridge devices request".split(
    " ",
  ),
  ..."tracked_object_update available connected mac events gw SYStoMQTT commands info tasmotas".split(" "),
];

/** Reproducible by its seed, so that an error can be examined. */
function dice(seed: number): (sides: number) => number {
  let now = seed >>> 0;
  return (sides) => {
    now = (Math.imul(now, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((now / 2 ** 32) * sides);
  };
}

t.test(`${TRIPLES} random triples of client, topic and action: no difference from a plain model`, (t) => {
  const seed = Number(process.env.GATEHOUSE_TEST_SEED ?? 4711);
  const roll = dice(seed);
  const pick = <One>(list: readonly One[]): One => list[roll(list.length)] as One; // never empty
  const topicOf = (levels: number): string => Array.from({ length: levels }, () => pick(WORDS)).join("/");
  let done = 0;
  let allowed = 0;
  for (let world = 0; done < TRIPLES; world++) {
    const rights = new TopicRights({ families: NAMES, prefixes: PREFIXES, native: "gatehouse" });
    const model = new Model();
    for (let step = 0; step < 40; step++) {
      const client = 1 + roll(5);
      const what = roll(12);
      const family = pick(NAMES);
      const key = `key${roll(4)}`;
      if (what < 3) {
        const families = familiesOf([family, ...(roll(4) === 0 ? [pick(NAMES)] : [])]);
        rights.dismiss(client);
        model.dismiss(client);
        rights.admit(client, families);
        model.accepted.set(client, families);
      } else if (what === 3 && roll(3) === 0) {
        rights.dismiss(client);
        model.dismiss(client);
      } else if (what === 4) {
        rights.release(family, key);
        model.release(family, key);
      } else {
        const own = pick([...(model.accepted.get(client) ?? NAMES)]);
        const base = roll(2) === 0 ? pick(["kitchen", "hall", "kitchen/stat", "tele/kitchen"]) : topicOf(1 + roll(2));
        const topics = {
          name: pick([base, pick(WORDS)]),
          says: own === "tasmota" ? [`${base}/stat/#`, `${pick(["tele", base])}/#`] : [topicOf(2 + roll(3))],
          takes: own === "tasmota" ? [`${base}/cmnd/#`] : [topicOf(2 + roll(3))],
        };
        // A device passes to another credential only after it was freed, as the core ensures.
        const holder = model.devices.find((device) => device.family === own && device.key === key);
        if (holder !== undefined && holder.client !== client) continue;
        const [mine, its] = [
          model.grant(own, key, client, topics),
          rights.grant({ family: own, key, client }, topics) === null,
        ];
        if (mine !== its)
          throw new Error(
            `seed ${seed}, world ${world}: ${client} ${own} ${JSON.stringify(topics)}: the model says ${mine}`,
          );
      }
    }
    const held = model.devices.flatMap(({ access }) => [...access.publish, ...access.subscribe]);
    for (let triple = 0; triple < 1_000 && done < TRIPLES; triple++, done++) {
      const client = 1 + roll(6);
      const filter = held.length > 0 && roll(2) === 0 ? pick(held) : topicOf(1 + roll(5));
      const topic = filter.replaceAll("+", () => pick(WORDS)).replace("#", () => topicOf(1 + roll(3)));
      const action = pick(["publish", "hear"] as const);
      const expected = model.may(client, action, topic);
      const found = action === "publish" ? rights.mayPublish(client, topic) : rights.mayHear(client, topic);
      if (found !== expected)
        throw new Error(
          `seed ${seed}, world ${world}: ${client} ${action} ${topic}: ${found}, the model says ${expected}`,
        );
      if (found) allowed += 1;
    }
  }
  t.equal(done, TRIPLES);
  t.ok(allowed > TRIPLES / 50, `${allowed} of them are allowed: the question is not trivial`);
  t.end();
});

// --- stories: the real families, and clients that send whatever helps them ---

/** Numbers in messages carry their sender in the thousands. */
const TAG = 1_000;
const SENSOR_TOPICS = [
  "tele/kitchen/SENSOR",
  "frigate/tracked_object_update",
  "kitchen/sensor/w/state",
  "zigbee2mqtt/kitchen",
  "shellies/kitchen/relay/0/power",
  "my/value",
  "gatehouse/x/state",
];
const COMMAND_TOPICS = [
  "cmnd/kitchen/POWER",
  "kitchen/switch/r/command",
  "zigbee2mqtt/kitchen/set",
  "shellies/kitchen/relay/0/command",
  "my/set",
  "gatehouse/x/command",
  "kitchen/rpc",
];
const POOL = [
  ...SENSOR_TOPICS,
  ...COMMAND_TOPICS,
  "tele/hall/SENSOR",
  "hall/rpc",
  "kitchen/power/get",
  "home/kitchen/CSE7766toMQTT",
  "home/kitchen/commands/MQTTtoONOFF",
];

type Said = readonly (readonly [topic: string, payload: unknown, retain: boolean])[];

/**
 * The messages of a device of each make: an announcement, then a number. `n` is the hardware, `name` the owner's name
 * for it.
 */
const SPEECH: Readonly<Record<string, (n: number, name: string, value: number, twist: number) => Said>> = {
  tasmota: (n, name, value, twist) => {
    const mac = `AABBCC00000${n}`;
    const ft = ["%prefix%/%topic%/", "%topic%/%prefix%/", "%prefix%/"][twist % 3];
    const tele = (ft ?? "").replace("%prefix%", "tele").replace("%topic%", name);
    return [
      [
        `tasmota/discovery/${mac}/config`,
        { mac, dn: `T${value}`, t: name, ft, tp: ["cmnd", "stat", "tele"], rl: [1], ver: 1 },
        true,
      ],
      [`${tele}SENSOR`, { Time: "2026-03-01T12:00:00", ENERGY: { Power: value } }, false],
    ];
  },
  openbeken: (n, name, value) => [
    [`${name}/connected`, "online", true],
    [`${name}/mac`, `AABBCC00000${n}`, true],
    [`${name}/power/get`, String(value), true],
    [`${name}/1/get`, "1", true],
  ],
  shelly1: (n, name, value) => [
    ["shellies/announce", { id: name, model: "SHSW-PM", mac: `AABBCC00000${n}` }, false],
    [`shellies/${name}/relay/0`, "on", false],
    [`shellies/${name}/relay/0/power`, String(value), false],
  ],
  shelly2: (n, name, value) => [
    [
      `${name}/events/rpc`,
      {
        src: `shellyplus1pm-aabbcc00000${n}`,
        method: "NotifyFullStatus",
        params: { "switch:0": { id: 0, output: true, apower: value } },
      },
      false,
    ],
  ],
  esphome: (n, name, value, twist) => {
    const state = twist < 4 ? `${name}/sensor/w/state` : (SENSOR_TOPICS[twist % SENSOR_TOPICS.length] ?? "");
    const dev = { ids: [`aabbcc00000${n}`], mf: "espressif", name };
    return [
      [
        `homeassistant/sensor/${name}/w/config`,
        { name: "W", uniq_id: `w${n}`, stat_t: state, unit_of_meas: "W", dev_cla: "power", dev },
        true,
      ],
      [
        `homeassistant/switch/${name}/r/config`,
        { name: "R", uniq_id: `r${n}`, stat_t: `${name}/switch/r/state`, cmd_t: `${name}/switch/r/command`, dev },
        true,
      ],
      [state, String(value), true],
    ];
  },
  homeassistant: (n, name, value, twist) => {
    const [state, command] = [
      SENSOR_TOPICS[twist % SENSOR_TOPICS.length] ?? "",
      COMMAND_TOPICS[(twist * 3) % COMMAND_TOPICS.length] ?? "",
    ];
    const dev = { ids: [`thing${n}`], cns: [["mac", `aa:bb:cc:00:00:0${n}`]], name };
    return [
      [state, String(value), true],
      [
        `homeassistant/sensor/${name}/config`,
        { name: "V", uniq_id: `v${n}`, stat_t: state, unit_of_meas: "W", dev_cla: "power", dev },
        true,
      ],
      [`homeassistant/switch/${name}/config`, { name: "S", uniq_id: `s${n}`, cmd_t: command, dev }, true],
      [state, String(value), false],
    ];
  },
  zigbee2mqtt: (n, name, value) => {
    const exposes = [
      { type: "numeric", name: "power", property: "power", access: 1, unit: "W" },
      {
        type: "switch",
        features: [{ type: "binary", name: "state", property: "state", access: 7, value_on: "ON", value_off: "OFF" }],
      },
    ];
    const device = {
      ieee_address: `0x00158d000000000${n}`,
      type: "Router",
      friendly_name: name,
      interview_completed: true,
      definition: { model: "M", vendor: "V", exposes },
    };
    return [
      ["zigbee2mqtt/bridge/devices", [{ ieee_address: `0x00124b000000000${n}`, type: "Coordinator" }, device], true],
      [`zigbee2mqtt/${name}`, { power: value, state: "ON" }, false],
    ];
  },
  openmqttgateway: (n, name, value) => [
    [`home/${name}/SYStoMQTT`, { mac: `A4:E5:7C:11:22:0${n}`, modules: ["ONOFF", "CSE7766"], rssi: -60 }, false],
    [`home/${name}/ONOFFtoMQTT`, { gpio: 26, cmd: 1 }, false],
    [`home/${name}/CSE7766toMQTT`, { power: value }, false],
    [`home/${name}/BTtoMQTT/A4C13811223${n}`, { id: `A4:C1:38:11:22:3${n}`, model: "TH", tempc: value }, false],
  ],
  frigate: (_n, name, value) => [
    ["frigate/available", "online", true],
    [`frigate/${name}/detect/state`, "ON", true],
    ["frigate/stats", { cameras: { [name]: { camera_fps: value } } }, false],
    [
      "frigate/tracked_object_update",
      { type: "lpr", id: `e${value}`, camera: name, plate: `KA01AA${value}`, score: 0.99 },
      false,
    ],
  ],
};

const step = fc.record({
  what: fc.nat(99),
  client: fc.nat(3),
  family: fc.nat(8),
  own: fc.boolean(),
  n: fc.nat(2),
  name: fc.constantFrom("kitchen", "hall"),
  twist: fc.nat(20),
});
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** A house of four credentials, and the known owners of everything. */
class Story {
  readonly parts = new BridgeParts(FAMILIES);
  /** Credential by place: a forgotten one has a new number. */
  readonly clients: { id: number; families: readonly string[] }[];
  readonly owners = new Map<string, Set<number>>();
  moved = 0;
  #value = 0;
  #nextId: number;

  constructor(families: readonly (readonly string[])[]) {
    this.clients = families.map((own, index) => ({ id: index + 1, families: own }));
    this.#nextId = families.length + 1;
    for (const { id, families: own } of this.clients)
      this.parts.credentials.push({ id, name: `Client ${id}`, families: own });
  }

  async act({ what, client: place, family, own, n, name, twist }: Step): Promise<void> {
    const { parts } = this;
    const client = this.clients[place];
    if (client === undefined) return;
    if (what < 70) {
      const makes = own ? client.families : NAMES;
      const make = makes[family % makes.length] ?? "";
      await this.#as(client.id, async () => {
        for (const [topic, payload, retain] of SPEECH[make]?.(
          n,
          name,
          client.id * TAG + (this.#value++ % (TAG - 1)),
          twist,
        ) ?? [])
          await parts.speak(client.id, topic, payload, retain);
      });
    } else if (what < 80) {
      await this.#as(client.id, async () => {
        for (const topic of POOL) await parts.speak(client.id, topic, String(client.id * TAG + 999), twist % 2 === 0);
      });
    } else if (what < 88) this.#command(twist);
    else if (what < 91) {
      const entries = parts.bridge.entries().filter(({ bindingState }) => bindingState === "bound");
      const deviceId = entries[twist % Math.max(1, entries.length)]?.deviceId;
      if (deviceId) {
        parts.bridge.removed(deviceId);
        parts.devices.delete(deviceId);
      }
    } else if (what < 94) {
      parts.bridge.dismiss(client.id, true);
      for (const [topic, { client: owner }] of parts.left) if (owner === client.id) parts.left.delete(topic);
      client.id = this.#nextId++;
      await this.#byItself(async () => this.#admit(client));
    } else if (what < 97) {
      client.families = [NAMES[family % NAMES.length] ?? ""];
      await this.#byItself(async () => this.#admit(client));
    } else {
      parts.credentials.splice(
        0,
        parts.credentials.length,
        ...this.clients.map(({ id, families }) => ({ id, name: `Client ${id}`, families })),
      );
      await this.#byItself(() => parts.restart());
    }
    await settled();
    this.#look();
  }

  #admit({ id, families }: { readonly id: number; readonly families: readonly string[] }): void {
    this.parts.bridge.admit({ id, name: `Client ${id}`, families });
  }

  /** The effects of the hub's own actions, such as reading retained messages: an owned device stays with its owner. */
  async #byItself(act: () => Promise<void>): Promise<void> {
    const before = this.#ownersNow(true);
    await act();
    await settled();
    for (const [id, owner] of this.#ownersNow()) {
      const former = before.get(id) ?? null;
      if (former !== null && owner !== former) throw new Error(`${id} went from ${former} to ${owner} by itself`);
      if (owner !== null) this.owners.set(id, new Set([...(this.owners.get(id) ?? []), owner]));
    }
  }

  /** The effects of one client's messages: it changes its own devices only, and the hub answers no other client. */
  async #as(client: number, speak: () => Promise<void>): Promise<void> {
    const { parts } = this;
    const before = new Map([...parts.devices].map(([id, device]) => [id, JSON.stringify(device)]));
    const ownersBefore = this.#ownersNow(true);
    const sent = parts.sentTo.length;
    await speak();
    await settled();
    const owners = this.#ownersNow();
    for (const [id, device] of parts.devices) {
      if (before.get(id) === JSON.stringify(device)) continue;
      this.moved += 1;
      const owner = owners.get(id) ?? null;
      if (owner !== client) throw new Error(`${client} moved ${id}, which is ${owner}'s`);
      const former = ownersBefore.get(id) ?? null;
      const wasFree = former === null || former === client || !this.clients.some(({ id: other }) => other === former);
      if (!wasFree) throw new Error(`${client} took ${id} from ${former}`);
      this.owners.set(
        id,
        (former === client ? this.owners.get(id) : undefined) ?? new Set([...(this.owners.get(id) ?? []), client]),
      );
    }
    for (const [index, to] of parts.sentTo.slice(sent).entries())
      if (to !== client)
        throw new Error(`a message of ${client} made the hub send ${parts.published[sent + index]?.topic} to ${to}`);
  }

  #command(twist: number): void {
    const { parts } = this;
    const owners = this.#ownersNow();
    const ids = [...owners.keys()];
    const id = ids[twist % Math.max(1, ids.length)];
    if (id === undefined) return;
    const sent = parts.sentTo.length;
    for (const command of ['{"power":true}', '{"light":"ON"}', '{"s":"ON"}', '{"ch":1,"on":true}']) {
      try {
        parts.bridge.deliver(id, command, 1_000);
      } catch {}
    }
    for (const to of parts.sentTo.slice(sent))
      if (to !== owners.get(id)) throw new Error(`a command for ${id} went to ${to}`);
  }

  /** The sender for each device; `isKept`: only for those that nobody withdrew. */
  #ownersNow(isKept = false): Map<string, number | null> {
    const known = this.parts.bridge
      .entries()
      .filter(
        ({ deviceId, bindingState }) =>
          deviceId !== null && bindingState !== "removed" && !(isKept && bindingState === "gone"),
      );
    const inOrder = [
      ...known.filter(({ bindingState }) => bindingState !== "bound"),
      ...known.filter(({ bindingState }) => bindingState === "bound"),
    ];
    return new Map(inOrder.map(({ deviceId, speaker }) => [deviceId ?? "", speaker?.client ?? null]));
  }

  /** Every number, name and plate is from an owner of the device; an owned topic has no other owner. */
  #look(): void {
    const { parts, clients } = this;
    for (const [id, device] of parts.devices) {
      const numbers = [...JSON.stringify([device.state, device.samples]).matchAll(/\b([1-9]\d{3,4})\b/g)].map(
        ([, text]) => Math.floor(Number(text) / TAG),
      );
      const plates = device.plates.map(({ text }) => Math.floor(Number(text.slice("KA01AA".length)) / TAG));
      for (const client of [...numbers, ...plates])
        if (this.owners.get(id)?.has(client) !== true) throw new Error(`${id} shows data of ${client}`);
      for (const client of plates) if (!id.startsWith("frigate-")) throw new Error(`a plate of ${client} at ${id}`);
    }
    for (const topic of POOL) {
      const holder = clients.find(({ id }) => parts.bridge.rights.holds(id, topic));
      for (const { id } of clients) {
        const may = parts.bridge.rights.mayPublish(id, topic) || parts.bridge.rights.mayHear(id, topic);
        if (may && topic.startsWith("gatehouse/")) throw new Error(`${id} has ${topic}`);
        if (may && holder !== undefined && holder.id !== id)
          throw new Error(`${id} may use ${topic}, which is ${holder.id}'s`);
        if (
          holder !== undefined &&
          /^cmnd\/|^zigbee2mqtt\/.*\/set$|^shellies\/.*\/command$/.test(topic) &&
          parts.bridge.rights.mayPublish(id, topic)
        )
          throw new Error(`${id} commands by ${topic}`);
      }
    }
  }
}

/**
 * Found by chance: a device that the second client's new firmware withdrew, which the client still has by its former
 * firmware, and which the fourth client then announces.
 */
const GIVEN_UP: [[string[], string[], string[], string[]], Step[]] = [
  [["zigbee2mqtt"], ["shelly2"], ["zigbee2mqtt"], ["esphome"]],
  [
    { what: 0, client: 1, family: 0, own: true, n: 0, name: "kitchen", twist: 0 },
    { what: 94, client: 1, family: 1, own: false, n: 0, name: "kitchen", twist: 0 },
    { what: 0, client: 1, family: 0, own: true, n: 0, name: "hall", twist: 0 },
    { what: 0, client: 1, family: 0, own: true, n: 1, name: "hall", twist: 0 },
    { what: 0, client: 3, family: 0, own: true, n: 0, name: "kitchen", twist: 0 },
    { what: 0, client: 0, family: 0, own: false, n: 0, name: "kitchen", twist: 0 },
  ],
];

t.test(
  "whatever four clients send, through takeovers, renaming, removal and restarts: none moves or hears another's",
  async (t) => {
    let moved = 0;
    const makes = fc
      .constantFrom(...NAMES)
      .chain((one) => fc.subarray([...NAMES], { maxLength: 1 }).map((more) => [...new Set([one, ...more])]));
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(makes, makes, makes, makes),
        fc.array(step, { minLength: 5, maxLength: 25 }),
        async (families, steps) => {
          const story = new Story(families);
          await story.parts.start();
          for (const one of steps) await story.act(one);
          moved += story.moved;
          await story.parts.bridge.stop();
        },
      ),
      { numRuns: STORIES, examples: [GIVEN_UP] },
    );
    t.ok(moved > STORIES, `devices changed ${moved} times by their own clients' messages`);
  },
);
