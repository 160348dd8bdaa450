/** Who came in a stretch of time: cars, not sightings. */
import { zoneTime, zoneTimes } from "../../../console/components/zone-time.ts";
import type { PlateRead } from "../../gate/resources/plate-read.ts";

/** A car with its passes, oldest first. */
export interface CarOfDay {
  readonly plate: string;
  readonly passes: readonly PlateRead[];
}

/** The cars among sightings, in the order in which they came. */
export function carsOf(reads: readonly PlateRead[]): readonly CarOfDay[] {
  const byPlate = new Map<string, PlateRead[]>();
  for (const read of reads.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))) {
    if (read.plate !== null) byPlate.set(read.plate, [...(byPlate.get(read.plate) ?? []), read]);
  }
  return [...byPlate].map(([plate, passes]) => ({ plate, passes }));
}

/** Times named of one car. */
const MOST_TIMES = 3;

/** When a car passed: a coming and its going as one stretch, such as `6:25 – 6:39 am`. */
export function timesOf({ passes }: CarOfDay, zone: string): string {
  const times: string[] = [];
  for (let place = 0; place < passes.length; place++) {
    const [pass, next] = [passes[place], passes[place + 1]];
    if (pass === undefined) continue;
    if (pass.direction === "in" && next?.direction === "out") {
      times.push(zoneTimes(Date.parse(pass.at), Date.parse(next.at), zone));
      place += 1;
    } else times.push(zoneTime(Date.parse(pass.at), zone));
  }
  return `${times.slice(0, MOST_TIMES).join(", ")}${times.length > MOST_TIMES ? " …" : ""}`;
}
