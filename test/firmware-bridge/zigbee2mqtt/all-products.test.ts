/**
 * Every product that Zigbee2MQTT knows, by its own definitions (npm package `zigbee-herdsman-converters`, which comes
 * with it).
 */
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import t from "tap";
import type { Effect } from "../../../firmware-bridge/family.ts";
import { objectsOf } from "../../../firmware-bridge/json-values.ts";
import { zigbee2mqtt } from "../../../firmware-bridge/zigbee2mqtt/zigbee2mqtt.ts";
import { isJsonObject } from "../../../src/core/kernel/json-object.ts";
import { REPLAY_START } from "../../support/conversation.ts";

interface Definition {
  readonly model: string;
  readonly vendor: string;
  readonly exposes: unknown;
}

const load = createRequire(createRequire(import.meta.url).resolve("zigbee2mqtt/package.json"));

/** All definitions, as `bridge/devices` would list a device of each. */
function everyProduct(): object[] {
  // the part of its interface that is used
  const converters = load("zigbee-herdsman-converters") as { prepareDefinition: (definition: unknown) => Definition };
  const folder = join(dirname(load.resolve("zigbee-herdsman-converters")), "devices");
  const files = readdirSync(folder).filter((file) => file.endsWith(".js") && file !== "index.js");
  const definitions = files.flatMap((file) =>
    objectsOf((load(join(folder, file)) as { definitions?: unknown }).definitions),
  ); // a list in each
  return definitions.map((raw, index) => {
    const { model, vendor, exposes } = converters.prepareDefinition(raw);
    const listed: unknown = typeof exposes === "function" ? exposes({ isDummyDevice: true }, {}) : exposes;
    const address = `0x${(index + 1).toString(16).padStart(16, "0")}`;
    return {
      ieee_address: address,
      type: "Router",
      friendly_name: `product ${index}`,
      definition: { model, vendor, exposes: JSON.parse(JSON.stringify(listed)) },
      power_source: "Mains",
      interview_completed: true,
    };
  });
}

/** A value that a schema allows. */
function example(schema: Record<string, unknown>): unknown {
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.type === "boolean") return true;
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 1;
  if (schema.type === "array") return [];
  return schema.type === "object" ? {} : schema.pattern === undefined ? "x" : "#ff0000";
}

t.test("every product becomes a device with valid values and accepted commands", async (t) => {
  const products = everyProduct();
  t.ok(products.length > 4000, `${products.length} products`);
  const types = new Map<string, number>();
  let taken = 0;
  const refused: string[] = [];
  for (let first = 0; first < products.length; first += 100) {
    const adapter = zigbee2mqtt.open({ prefix: null });
    const payload = Buffer.from(JSON.stringify(products.slice(first, first + 100)));
    const effects: readonly Effect[] = adapter.message({
      topic: "zigbee2mqtt/bridge/devices",
      payload,
      retained: true,
      at: REPLAY_START,
    });
    for (const effect of effects) {
      if (effect.do === "problem") t.fail(effect.reason);
      if (effect.do !== "device") continue;
      const { key, type, model, metrics, commands, memo } = effect.device;
      types.set(type, (types.get(type) ?? 0) + 1);
      if (new Set(metrics).size !== metrics.length) t.fail(`${model}: two values of one name`);
      for (const name of metrics)
        if (!/^[A-Za-z][A-Za-z0-9_]{0,31}$/.test(name)) t.fail(`${model}: ${name} is not a valid name of a value`);
      if (JSON.stringify(memo).length > 16_384) t.fail(`${model}: its memo is too large`);
      for (const [word, schema] of Object.entries(isJsonObject(commands?.properties) ? commands.properties : {})) {
        const answer = adapter.command(key, { [word]: example(isJsonObject(schema) ? schema : {}) });
        if ("unsupported" in answer) refused.push(`${model}: ${answer.unsupported}`);
        else taken += 1;
      }
    }
  }
  t.equal(
    [...types.values()].reduce((sum, count) => sum + count, 0),
    products.length,
  );
  for (const type of [
    "sensor",
    "dimmer",
    "switch",
    "smart-plug",
    "cover",
    "lock",
    "thermostat",
    "fan",
    "home-hub",
    "energy-meter",
  ])
    t.ok((types.get(type) ?? 0) > 0, `${types.get(type)} of type ${type}`);
  t.ok(taken > 20_000, `${taken} commands are accepted as their schemas describe`);
  t.ok(refused.length <= 3, `refused: ${refused.join("; ")}`);
});
