import { type AttributeName, heard, type Plain, pressed, SWITCH_CLUSTER } from "./clusters.ts";
import { type EndpointView, MOST_ENDPOINTS } from "./node-view.ts";

/** What changed since the last look. */
export interface PictureChanges {
  readonly values: readonly { readonly endpoint: number; readonly name: AttributeName; readonly value: Plain }[];
  readonly pressed: readonly { readonly endpoint: number; readonly how: string }[];
  /** The endpoints themselves have changed, or what they do. */
  readonly isOther: boolean;
}

interface Endpoint {
  deviceTypes: readonly number[];
  parts: readonly number[];
  readonly values: Partial<Record<AttributeName, Plain>>;
}

const DESCRIPTOR = 0x1d;
/** A node without Thread does not have it. */
const THREAD_DIAGNOSTICS = 0x35;
const MOST_DEVICE_TYPES = 16;
const MOST_PRESSED = 32;

/**
 * The state of one node: the endpoints and values that the hub subscribes to, and which of them have changed. However
 * much a node reports, this holds {@link MOST_ENDPOINTS} endpoints with one value for each name, the last if it changed
 * a thousand times.
 */
export class NodePicture {
  readonly #endpoints = new Map<number, Endpoint>();
  readonly #changed = new Map<string, { endpoint: number; name: AttributeName; value: Plain }>();
  #pressed: { endpoint: number; how: string }[] = [];
  #isOther = false;
  #isOnThread = false;

  /** Takes a reported attribute. */
  attribute(endpoint: number, cluster: number, attribute: number, value: unknown): void {
    if (cluster === THREAD_DIAGNOSTICS && endpoint === 0) this.#isOnThread = true;
    if (cluster === DESCRIPTOR) this.#described(endpoint, attribute, value);
    const word = heard(cluster, attribute, value);
    const known = word === null ? null : this.#endpoint(endpoint);
    if (word === null || known === null) return;
    const { name } = word;
    if (Object.hasOwn(known.values, name)) {
      if (known.values[name] === word.value) return;
    } else this.#isOther = true;
    known.values[name] = word.value;
    this.#changed.set(`${endpoint} ${name}`, { endpoint, name, value: word.value });
  }

  /** Takes a reported event. */
  event(endpoint: number, cluster: number, event: number, value: unknown): void {
    const how = cluster === SWITCH_CLUSTER ? pressed(event, value) : null;
    if (how !== null && this.#endpoints.has(endpoint) && this.#pressed.length < MOST_PRESSED)
      this.#pressed.push({ endpoint, how });
  }

  /** The endpoints with their values. */
  endpoints(): EndpointView[] {
    return [...this.#endpoints].map(([number, { deviceTypes, parts, values }]) => ({
      number,
      deviceTypes,
      parts,
      values: { ...values },
    }));
  }

  /** Whether the node is connected by Thread. */
  get isOnThread(): boolean {
    return this.#isOnThread;
  }

  /** Whether something has changed. */
  get hasChanged(): boolean {
    return this.#isOther || this.#changed.size > 0 || this.#pressed.length > 0;
  }

  /** Names of the values that changed. */
  changedNames(): AttributeName[] {
    return [...this.#changed.values()].map(({ name }) => name);
  }

  /** Whether a button was pressed, or the endpoints changed: neither should be delayed. */
  get isUrgent(): boolean {
    return this.#isOther || this.#pressed.length > 0;
  }

  /** What changed since the last call. */
  takeChanges(): PictureChanges {
    const changes = { values: [...this.#changed.values()], pressed: this.#pressed, isOther: this.#isOther };
    this.#changed.clear();
    this.#pressed = [];
    this.#isOther = false;
    return changes;
  }

  #described(number: number, attribute: number, value: unknown): void {
    if ((attribute !== 0 && attribute !== 3) || !Array.isArray(value)) return;
    const known = this.#endpoint(number);
    if (known === null) return;
    const numbers = (
      attribute === 0 ? value.slice(0, MOST_DEVICE_TYPES).map(deviceType) : value.slice(0, MOST_ENDPOINTS)
    ).filter(isWhole);
    const before = attribute === 0 ? known.deviceTypes : known.parts;
    if (JSON.stringify(before) === JSON.stringify(numbers)) return;
    if (attribute === 0) known.deviceTypes = numbers;
    else known.parts = numbers.filter((part) => part <= 65_535);
    this.#isOther = true;
    if (number === 0 && attribute === 3) this.#forgetOthers(new Set(known.parts));
  }

  /** The root names every endpoint of a node: others no longer exist. */
  #forgetOthers(parts: ReadonlySet<number>): void {
    for (const number of this.#endpoints.keys()) if (number !== 0 && !parts.has(number)) this.#endpoints.delete(number);
  }

  #endpoint(number: number): Endpoint | null {
    const known = this.#endpoints.get(number);
    if (known !== undefined) return known;
    if (this.#endpoints.size >= MOST_ENDPOINTS) return null;
    const fresh: Endpoint = { deviceTypes: [], parts: [], values: {} };
    this.#endpoints.set(number, fresh);
    return fresh;
  }
}

function deviceType(entry: unknown): unknown {
  return typeof entry === "object" && entry !== null && "deviceType" in entry ? entry.deviceType : null;
}

function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff;
}
