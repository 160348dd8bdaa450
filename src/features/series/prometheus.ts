import type { JsonObject } from "../../core/kernel/json-object.ts";
import { mayLeave } from "./line-protocol.ts";
import { type MetricName, metricOf, OTHER_VALUE } from "./prometheus-names.ts";

/** A device with its latest measurements. */
export interface MeasuredDevice {
  readonly id: string;
  readonly name: string;
  readonly room: string | null;
  readonly type: string;
  readonly online: boolean;
  /** Name → number and when it was measured, epoch ms. */
  readonly values: ReadonlyMap<string, LatestValue>;
}

/** The latest measurement of a value. */
export interface LatestValue {
  readonly value: number;
  readonly at: number;
}

interface Family extends Pick<MetricName, "metric" | "type" | "help"> {
  readonly lines: string[];
  readonly labels: Set<string>;
}

/** A value older than this is left out, so that it is not mistaken for a current one. */
export const STALE_MS = 86_400_000;
/** Most lines; those beyond are only counted. */
export const MOST_SERIES = 10_000;
/** Most lines of one device. */
const MOST_OF_DEVICE = 100;

/**
 * The household's values in Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/). An
 * offline device has no values, only `gatehouse_device_online 0`, and a value that is a day old is left out: Prometheus
 * ends a series that is missing from a scrape.
 */
export function exposition(devices: readonly MeasuredDevice[], now: number): string {
  const families = new Map<string, Family>();
  let count = 0;
  let leftOut = 0;
  const add = ({ metric, type, help }: Pick<MetricName, "metric" | "type" | "help">, labels: string, value: number) => {
    if (count >= MOST_SERIES) {
      leftOut += 1;
      return true;
    }
    const family = families.get(metric) ?? { metric, type, help, lines: [], labels: new Set() };
    families.set(metric, family);
    if (family.labels.has(labels)) return false; // two names of one device for the same thing
    family.labels.add(labels);
    family.lines.push(`${metric}{${labels}} ${numberText(value)}`);
    count += 1;
    return true;
  };
  for (const { id, name, room, type, online, values } of devices) {
    const device = label("device", id);
    add(INFO, [device, label("name", name), label("room", room ?? ""), label("type", type)].join(","), 1);
    add(ONLINE, device, online ? 1 : 0);
    if (!online) continue;
    let ofDevice = 0;
    for (const [key, latest] of values) {
      if (now - latest.at > STALE_MS || !mayLeave(key)) continue;
      if (ofDevice >= MOST_OF_DEVICE) {
        leftOut += 1;
        continue;
      }
      ofDevice += 1;
      const { name: metric, channel } = metricOf(key);
      const isAdded =
        metric !== OTHER_VALUE &&
        add(metric, channel === "" ? device : `${device},${label("channel", channel)}`, latest.value * metric.factor);
      if (!isAdded) add(OTHER_VALUE, `${device},${label("value", key)}`, latest.value);
    }
  }
  families.set(LEFT_OUT.metric, { ...LEFT_OUT, lines: [`${LEFT_OUT.metric} ${leftOut}`], labels: new Set() });
  return [...families.values()]
    .map(({ metric, type, help, lines }) => `# HELP ${metric} ${help}\n# TYPE ${metric} ${type}\n${lines.join("\n")}\n`)
    .join("");
}

const INFO = {
  metric: "gatehouse_device_info",
  type: "gauge",
  help: "What a device is called and where it is.",
} as const;
const ONLINE = { metric: "gatehouse_device_online", type: "gauge", help: "1 while the device is there." } as const;
const LEFT_OUT = {
  metric: "gatehouse_series_left_out",
  type: "gauge",
  help: "Series that are not told, because there are too many.",
} as const;

function label(name: string, value: string): string {
  return `${name}="${value.replace(/[\\"]/g, (char) => `\\${char}`).replaceAll("\n", "\\n")}"`;
}

/** As few digits as the number has: the unit's factor brings rounding errors into the last ones. */
function numberText(value: number): string {
  return String(Number(value.toPrecision(15)));
}

/** The numbers in a sample; true counts as 1. */
export function numbersOf(data: JsonObject): [string, number][] {
  return Object.entries(data).flatMap(([name, value]): [string, number][] => {
    if (typeof value === "number" && Number.isFinite(value)) return [[name, value]];
    return typeof value === "boolean" ? [[name, value ? 1 : 0]] : [];
  });
}
