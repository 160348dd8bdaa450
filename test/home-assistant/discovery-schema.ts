/**
 * Home Assistant's requirements for a discovery message, as far as the hub uses it. Source:
 * https://www.home-assistant.io/integrations/mqtt/ and the pages of the platforms.
 */

type Values = Readonly<Record<string, unknown>>;

interface Platform {
  readonly required: readonly string[];
  readonly allowed: readonly string[];
}

const COMMON = [
  "platform",
  "unique_id",
  "name",
  "device_class",
  "entity_category",
  "icon",
  "state_topic",
  "value_template",
];
const SWITCHED = ["command_topic", "payload_on", "payload_off"];

/**
 * Options that each platform requires and accepts; Home Assistant ignores an unknown option, which then does nothing.
 */
const PLATFORMS: Readonly<Record<string, Platform>> = {
  alarm_control_panel: {
    required: ["state_topic", "command_topic"],
    allowed: [
      ...COMMON,
      "command_topic",
      "supported_features",
      "code_arm_required",
      "code_disarm_required",
      "code_trigger_required",
    ],
  },
  binary_sensor: { required: ["state_topic"], allowed: [...COMMON, "payload_on", "payload_off"] },
  button: { required: ["command_topic"], allowed: [...COMMON, "command_topic", "payload_press"] },
  climate: {
    required: [],
    allowed: [
      ...COMMON,
      ...["mode", "temperature"].flatMap((name) => [
        `${name}_state_topic`,
        `${name}_state_template`,
        `${name}_command_topic`,
      ]),
      ...["current_temperature_topic", "current_temperature_template", "action_topic", "action_template", "modes"],
      ...["min_temp", "max_temp", "temp_step", "precision", "temperature_unit"],
    ],
  },
  cover: {
    required: [],
    allowed: [
      ...COMMON,
      ...[
        "command_topic",
        "payload_open",
        "payload_close",
        "payload_stop",
        "position_topic",
        "position_template",
        "set_position_topic",
      ],
    ],
  },
  event: { required: ["state_topic", "event_types"], allowed: [...COMMON, "event_types"] },
  fan: {
    required: ["command_topic"],
    allowed: [
      ...COMMON,
      ...SWITCHED,
      ...[
        "state_value_template",
        "percentage_state_topic",
        "percentage_value_template",
        "percentage_command_topic",
        "speed_range_min",
        "speed_range_max",
      ],
    ],
  },
  light: {
    required: ["schema", "command_topic"],
    allowed: [
      ...COMMON,
      "command_topic",
      "schema",
      "brightness",
      "brightness_scale",
      "supported_color_modes",
      "min_mireds",
      "max_mireds",
    ],
  },
  lock: {
    required: ["command_topic"],
    allowed: [
      ...COMMON,
      "command_topic",
      "payload_lock",
      "payload_unlock",
      "state_locked",
      "state_unlocked",
      "state_jammed",
    ],
  },
  number: {
    required: ["command_topic"],
    allowed: [...COMMON, "command_topic", "min", "max", "step", "unit_of_measurement"],
  },
  scene: { required: ["command_topic"], allowed: [...COMMON, "command_topic", "payload_on"] },
  select: { required: ["command_topic", "options"], allowed: [...COMMON, "command_topic", "options"] },
  sensor: { required: ["state_topic"], allowed: [...COMMON, "state_class", "unit_of_measurement", "options"] },
  switch: { required: ["command_topic"], allowed: [...COMMON, ...SWITCHED] },
};

/** Units that a sensor's class accepts. */
const UNITS: Readonly<Record<string, readonly (string | undefined)[]>> = {
  temperature: ["°C"],
  humidity: ["%"],
  battery: ["%"],
  power: ["W"],
  energy: ["kWh"],
  voltage: ["V"],
  current: ["A"],
  duration: ["s"],
  signal_strength: ["dBm"],
  timestamp: [undefined],
  enum: [undefined],
};

/** All faults of a device's discovery message; empty if Home Assistant accepts it. */
export function discoveryMistakes(message: Values): string[] {
  const mistakes: string[] = [];
  const {
    device,
    origin,
    components,
    availability,
    availability_mode: mode,
  } = message as Readonly<Record<string, Values>>; // checked below
  if (!Array.isArray(device?.identifiers) || device.identifiers.length === 0)
    mistakes.push("device has no identifiers");
  if (typeof origin?.name !== "string") mistakes.push("origin has no name");
  if (!Array.isArray(availability) || availability.some(({ topic }: Values) => typeof topic !== "string"))
    mistakes.push("availability is no list of topics");
  if (!["all", "any", "latest"].includes(String(mode))) mistakes.push("availability_mode");
  const ids = new Set<unknown>();
  for (const [key, config] of Object.entries((components ?? {}) as Record<string, Values>)) {
    const known = PLATFORMS[String(config.platform)];
    if (known === undefined) mistakes.push(`${key}: no platform ${String(config.platform)}`);
    else if (Object.keys(config).length > 1)
      mistakes.push(...componentMistakes(config, known).map((mistake) => `${key}: ${mistake}`));
    if (Object.keys(config).length > 1 && ids.has(config.unique_id)) mistakes.push(`${key}: its unique_id is taken`);
    ids.add(config.unique_id);
  }
  return mistakes;
}

function componentMistakes(config: Values, { required, allowed }: Platform): string[] {
  const mistakes = required.filter((name) => config[name] === undefined).map((name) => `lacks ${name}`);
  mistakes.push(
    ...Object.keys(config)
      .filter((name) => !allowed.includes(name))
      .map((name) => `${name} is none of its options`),
  );
  if (typeof config.unique_id !== "string") mistakes.push("lacks unique_id");
  for (const [name, value] of Object.entries(config)) {
    if (name.endsWith("_topic") && !/^[^+#\0]{1,300}$/.test(String(value))) mistakes.push(`${name} is no topic`);
    if (name.endsWith("_template") && !/^\{\{ value_json\['\w+'\] \}\}$/.test(String(value)))
      mistakes.push(`${name} is another template than the plain one`);
  }
  const { platform, device_class: deviceClass, unit_of_measurement: unit, state_class: stateClass } = config;
  if (platform !== "sensor" || deviceClass === undefined) return mistakes;
  const units = UNITS[String(deviceClass)];
  if (units !== undefined && !units.includes(unit as string | undefined))
    mistakes.push(`${String(deviceClass)} in ${String(unit)}`); // a text or absent, by the hub's table
  if (deviceClass === "energy" && stateClass !== "total_increasing")
    mistakes.push("a counter of energy that does not count");
  if (["enum", "timestamp"].includes(String(deviceClass)) && stateClass !== undefined)
    mistakes.push(`${String(deviceClass)} with a state_class`);
  return mistakes;
}
