import { dirname } from "node:path";
import type { DestinationProbe } from "./destination-probe.ts";
import type { DoWork } from "./thread.ts";
import type { WorkOrder, WorkResults } from "./work.ts";

/** Far beyond what the largest backup takes on the slowest stick. */
const LONG_MS = 30 * 60_000;
/** One file is removed, or looked for. */
const BRIEF_MS = 30_000;

/** Has orders carried out on a backup's file, each in the time that its place has for it. */
export class FileOrders {
  readonly #destinations: DestinationProbe;
  readonly #doWork: DoWork;

  constructor(destinations: DestinationProbe, doWork: DoWork) {
    this.#destinations = destinations;
    this.#doWork = doWork;
  }

  /** What reads or writes all of a backup. @throws Problem `unavailable` when the place does not answer */
  long<Order extends WorkOrder>(file: string, order: Order): Promise<WorkResults[Order["kind"]]> {
    return this.#within(LONG_MS, file, order);
  }

  /** An order that only touches the file. @throws Problem `unavailable` when the medium does not answer */
  brief<Order extends WorkOrder>(file: string, order: Order): Promise<WorkResults[Order["kind"]]> {
    return this.#within(BRIEF_MS, file, order);
  }

  #within<Order extends WorkOrder>(ms: number, file: string, order: Order): Promise<WorkResults[Order["kind"]]> {
    const limit = { ms, place: dirname(file) };
    return this.#destinations.order(dirname(file), limit, (signal) => this.#doWork(order, signal));
  }
}
