/**
 * Devices that announce themselves by Home Assistant's MQTT discovery: valetudo, OpenDTU, EVCC, rtl_433, room presence,
 * gateways and many thousands of home-made things. Messages in, effects out; must never know their transport. Devices
 * that a specific family understands better are left to that family. Source:
 * https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery.
 */
import type { Adapter, Family, SetupStep, SetupValues } from "../family.ts";
import { DiscoveryRegistry } from "./discovery-registry.ts";
import { isEspHome } from "./esphome-mark.ts";

const PREFIX = "homeassistant";
/** Publishers whose devices reach the hub by their own protocol; these announcements would show them twice. */
const NATIVE_ORIGINS: ReadonlySet<string> = new Set(["Zigbee2MQTT"]);

/** The family. */
export const homeassistant: Family = {
  name: "homeassistant",
  label: "Home Assistant discovery",
  source: "https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery",
  prefix: PREFIX,
  // An announcement may name any topic as its state's.
  filters: () => ["#"],
  open: ({ prefix }): Adapter => {
    const registry = new DiscoveryRegistry({
      prefix: prefix ?? PREFIX,
      isOwn: (announced, topic) =>
        !NATIVE_ORIGINS.has(announced.origin ?? "") &&
        !isEspHome(announced, topic) &&
        !isOldZigbee2Mqtt(announced.device.firmware),
    });
    return {
      restore: (devices) => registry.restore(devices),
      connected: () => {
        registry.connected();
        return [];
      },
      message: (message) => registry.message(message),
      passed: (at) => registry.passed(at),
      command: (key, command) => registry.command(key, command),
      forget: (key) => registry.forget(key),
      topics: (key) => registry.topics(key),
    };
  },
  setup: (values) => setup(values),
};

/** Before it named itself as the origin, Zigbee2MQTT was named as the firmware. */
function isOldZigbee2Mqtt(firmware: string | null): boolean {
  return firmware !== null && /^zigbee2mqtt /i.test(firmware);
}

function setup({ host, port, username, password }: SetupValues): SetupStep[] {
  return [
    {
      title: "Broker of the device or program, and discovery switched on",
      kind: "form",
      text: `Host: ${host}\nPort: ${port}\nUser: ${username}\nPassword: ${password}\nDiscovery prefix: ${PREFIX}`,
    },
  ];
}
