/**
 * ESPHome over MQTT. Nodes announce their components by discovery and answer `esphome/discover` with a description; a
 * node that announces nothing is understood by its topics, `<node>/<component>/<object>/state`. Messages in, effects
 * out; must never know their transport. Source: https://esphome.io/components/mqtt.
 */
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import type {
  Adapter,
  BridgeMessage,
  DeviceTopics,
  Effect,
  Family,
  SetupStep,
  SetupValues,
  Translation,
} from "../family.ts";
import type { AnnouncedDevice } from "../homeassistant/discovery.ts";
import { DiscoveryRegistry, type Present } from "../homeassistant/discovery-registry.ts";
import { isEspHome } from "../homeassistant/esphome-mark.ts";
import { hardwareAddress, payloadObject, textOf } from "../json-values.ts";
import { mostOften, type NodeTopic, nodeBase, nodeTopic, synthetic } from "./node-topics.ts";

const PREFIX = "homeassistant";
const DISCOVER = "esphome/discover";
const MAX_NODES = 1_000;
/** The topics a component listens to besides its plain command topic. */
const SUB_COMMANDS: ReadonlySet<string> = new Set(
  "speed_level oscillation direction preset_mode position tilt mode target_temperature target_temperature_low target_temperature_high fan_mode swing_mode preset".split(
    " ",
  ),
);

/** A node by its own description. */
interface Node {
  readonly device: AnnouncedDevice;
  readonly name: string;
}

/** The adapter of {@link esphome}. */
class EspHomeAdapter implements Adapter {
  readonly #discovery: DiscoveryRegistry;
  readonly #byName = new Map<string, Node>();
  readonly #byMac = new Map<string, Node>();
  /** Components known by discovery: their topics are not guessed. */
  readonly #announced = new Set<string>();

  constructor(prefix: string) {
    this.#discovery = new DiscoveryRegistry({
      prefix,
      isOwn: isEspHome,
      refine: (announced, topic) => {
        if (topic.node !== null) this.#announced.add(`${topic.node}/${topic.platform}/${topic.object}`);
        const node = this.#byMac.get(announced.device.key);
        return node === undefined ? announced : { ...announced, device: together(announced.device, node.device) };
      },
    });
  }

  restore(devices: readonly { readonly key: string; readonly memo: JsonObject }[]): void {
    this.#discovery.restore(devices);
  }

  connected(): readonly Effect[] {
    this.#discovery.connected();
    return [{ do: "publish", message: { topic: DISCOVER, payload: "all" } }];
  }

  message(message: BridgeMessage): readonly Effect[] {
    if (message.topic.startsWith(`${DISCOVER}/`)) return this.#answered(message);
    const effects = this.#discovery.message(message);
    if (effects.length > 0 || this.#discovery.isDiscovery(message.topic)) return effects;
    const topic = nodeTopic(message.topic);
    return topic === null ? [] : this.#unannounced(topic, message);
  }

  passed(at: number): readonly Effect[] {
    return this.#discovery.passed(at);
  }

  command(key: string, command: JsonObject): Translation {
    return this.#ownVocabulary(key, command) ?? this.#discovery.command(key, command);
  }

  forget(key: string): void {
    this.#discovery.forget(key);
    const node = this.#byMac.get(key);
    if (node === undefined) return;
    this.#byMac.delete(key);
    this.#byName.delete(node.name);
    for (const id of this.#announced) if (id.startsWith(`${node.name}/`)) this.#announced.delete(id);
  }

  topics(key: string): DeviceTopics | null {
    const announced = this.#discovery.topics(key);
    const name = this.#byMac.get(key)?.name ?? null;
    const bases =
      announced === null
        ? []
        : [...announced.says, ...announced.takes].flatMap((topic) =>
            this.#discovery.isDiscovery(topic) ? [] : (nodeBase(topic) ?? []),
          );
    const base = mostOften(bases) ?? name;
    if (base === null) return null;
    return {
      name: base,
      says: [...(announced?.says ?? []), ...(name === null ? [] : [`${DISCOVER}/${name}`])],
      takes: announced?.takes ?? [],
    };
  }

  /** `esphome/discover/<name>`: a node's description of itself. */
  #answered({ topic, payload }: BridgeMessage): readonly Effect[] {
    if (payload.byteLength === 0) return [];
    const body = payloadObject(payload);
    if (body === null) return [{ do: "problem", topic, reason: "the node's description is no JSON object" }];
    const [mac, name] = [hardwareAddress(body.mac), textOf(body.name, 64)];
    if (mac === null || name === null)
      return [{ do: "problem", topic, reason: "the node's description has no name or no hardware address" }];
    if (this.#byMac.size >= MAX_NODES && !this.#byMac.has(mac)) return [];
    const device: AnnouncedDevice = {
      key: mac,
      name: textOf(body.friendly_name) ?? name,
      manufacturer: textOf(body.platform),
      model: textOf(body.board),
      firmware: textOf(body.version),
      room: null,
      hardware: [mac],
      address: textOf(body.ip, 45),
    };
    const node: Node = { device, name };
    this.#byMac.set(mac, node);
    this.#byName.set(name, node);
    const known = this.#discovery.refresh(mac, (info) => together(info, device));
    return known ?? [{ do: "recall", filters: [`${name}/#`] }];
  }

  /** A value of a node that announces nothing. */
  #unannounced(topic: NodeTopic, message: BridgeMessage): readonly Effect[] {
    const node = this.#byName.get(topic.node);
    const id = `${topic.node}/${topic.component}/${topic.object}`;
    if (node === undefined || this.#announced.has(id)) return [];
    const config = synthetic(topic);
    if (config === null) return [];
    this.#announced.add(id);
    const source = `${PREFIX}/${topic.component}/${topic.node}/${topic.object}/config`;
    const announced: Present = {
      says: "present",
      device: node.device,
      origin: null,
      isBundle: false,
      components: [{ platform: topic.component, id: topic.object, config }],
    };
    return [...this.#discovery.adopt(announced, source), ...this.#discovery.message(message)];
  }

  /** `{"fan/ceiling/speed_level": "2"}` goes to `<node>/fan/ceiling/speed_level/command` unchanged. */
  #ownVocabulary(key: string, command: JsonObject): Translation | null {
    const [[path = "", value] = [], ...more] = Object.entries(command);
    const [platform, object, sub = "", ...rest] = path.split("/");
    if (more.length > 0 || rest.length > 0 || typeof value !== "string" || !SUB_COMMANDS.has(sub)) return null;
    const held = this.#discovery
      .device(key)
      ?.components.find(({ component }) => component.platform === platform && component.id === object);
    const known =
      held === undefined ? [] : Object.values(held.announced.config).filter((topic) => typeof topic === "string");
    const middle = `/${platform}/${object}/`;
    const base = known.find((topic) => topic.includes(middle))?.split(middle)[0];
    return base === undefined
      ? null
      : { publish: [{ topic: `${base}${middle}${sub}/command`, payload: value }], expects: null };
  }
}

/** Discovery takes precedence; the node's own description fills the gaps. Only that has its address. */
function together(announced: AnnouncedDevice, own: AnnouncedDevice): AnnouncedDevice {
  return {
    key: announced.key,
    name: announced.name ?? own.name,
    manufacturer: announced.manufacturer ?? own.manufacturer,
    model: announced.model ?? own.model,
    firmware: announced.firmware ?? own.firmware,
    room: announced.room,
    hardware: [...new Set([...announced.hardware, ...own.hardware])],
    address: own.address ?? announced.address,
  };
}

/** The family. */
export const esphome: Family = {
  name: "esphome",
  label: "ESPHome",
  source: "https://esphome.io/components/mqtt",
  prefix: PREFIX,
  // A node's base topic is its own name.
  filters: () => ["#"],
  open: ({ prefix }) => new EspHomeAdapter(prefix ?? PREFIX),
  setup,
};

function setup({ host, port, username, password, topic }: SetupValues): SetupStep[] {
  const lines = [
    "mqtt:",
    `  broker: ${host}`,
    `  port: ${port}`,
    `  username: ${username}`,
    `  password: ${password}`,
    `  topic_prefix: ${topic}`,
    "  discovery: true",
  ];
  return [
    { title: "In the node's configuration; then install it", kind: "file", text: lines.join("\n") },
    {
      title: "Without Home Assistant take `api:` out: a node that nobody connects to by it restarts every 15 minutes",
      kind: "file",
      text: "# api:",
    },
  ];
}
