import { type CommandHandle, sendCommand } from "./command.ts";
import { type EventsOptions, events } from "./events.ts";
import { type List, list } from "./list.ts";
import { type Call, Transport, type TransportOptions } from "./transport.ts";
import type {
  Automation,
  AutomationInput,
  Device,
  DevicePatch,
  EnergySeries,
  FeedItem,
  HubEvent,
  Index,
  Me,
  Occupancy,
  PlateRead,
  PlateRule,
  PlateRuleInput,
  Room,
  Scene,
  SceneActivated,
  TelemetrySample,
  Vehicle,
  VehicleHistory,
} from "./types.js";

/** How a hub is reached, with a key. */
export interface HubOptions extends TransportOptions {
  readonly key: string;
}

/** Times are ISO 8601 texts with an offset, or `Date`s. */
type Time = string | Date;

const at = (path: string, id: string | number): string => `/v1/${path}/${encodeURIComponent(id)}`;
const iso = (time: Time | undefined): string | undefined => (time instanceof Date ? time.toISOString() : time);
const ifMatch = (etag: string | undefined): Call => (etag === undefined ? {} : { headers: { "If-Match": etag } });

/**
 * A hub, as the holder of one key sees it. Every method throws HubError if the hub refuses, and HubUnreachable if it
 * does not answer.
 */
export class Hub {
  readonly #transport: Transport;

  constructor(options: HubOptions) {
    this.#transport = new Transport(options);
  }

  readonly devices = {
    list: (filter: { room?: string; type?: string; online?: boolean } = {}): List<Device> =>
      list(this.#transport, "/v1/devices", "devices", { query: filter }),
    get: async (id: string): Promise<Device> => (await this.#get<{ device: Device }>(at("devices", id))).device,
    update: async (id: string, patch: DevicePatch): Promise<Device> =>
      (await this.#transport.json<{ device: Device }>("PATCH", at("devices", id), { json: patch })).device,
    /** Resolves once the hub has accepted the command; `.outcome()` waits for the result. */
    command: (id: string, command: object, signal?: AbortSignal): Promise<CommandHandle> =>
      sendCommand(this.#transport, id, command, signal),
    /** Newest first. */
    telemetry: (id: string, { limit, since }: { limit?: number; since?: Time } = {}): List<TelemetrySample> =>
      list(this.#transport, `${at("devices", id)}/telemetry`, "telemetry", { query: { limit, since: iso(since) } }),
    energy: (id: string, query: { hours?: number; metric?: string } = {}): Promise<EnergySeries> =>
      this.#get(`${at("devices", id)}/energy`, query),
  };

  readonly rooms = { list: (): List<Room> => list(this.#transport, "/v1/rooms", "rooms") };

  readonly scenes = {
    list: (): List<Scene> => list(this.#transport, "/v1/scenes", "scenes"),
    activate: (id: number): Promise<SceneActivated> => this.#transport.json("POST", `${at("scenes", id)}/activate`),
  };

  readonly automations = {
    list: (): List<Automation> => list(this.#transport, "/v1/automations", "automations"),
    create: async (input: AutomationInput): Promise<Automation> =>
      (await this.#transport.json<{ automation: Automation }>("POST", "/v1/automations", { json: input })).automation,
    /** `etag` (the rule's own): change it only if nobody has edited it since. */
    update: async (id: number, patch: Partial<AutomationInput>, etag?: string): Promise<Automation> =>
      (
        await this.#transport.json<{ automation: Automation }>("PATCH", at("automations", id), {
          json: patch,
          ...ifMatch(etag),
        })
      ).automation,
    delete: async (id: number): Promise<void> => void (await this.#transport.answer("DELETE", at("automations", id))),
  };

  readonly plates = {
    /** Newest first. */
    list: ({
      since,
      ...query
    }: {
      deviceId?: string;
      plate?: string;
      decision?: string;
      status?: string;
      limit?: number;
      since?: Time;
    } = {}): List<PlateRead> =>
      list(this.#transport, "/v1/plates", "plates", { query: { ...query, since: iso(since) } }),
    /** The picture, a JPEG. */
    image: async (id: number): Promise<ArrayBuffer> =>
      (await this.#transport.answer("GET", `${at("plates", id)}/image`)).bytes,
  };

  readonly vehicles = {
    list: (query: { days?: number; limit?: number } = {}): List<Vehicle> =>
      list(this.#transport, "/v1/vehicles", "vehicles", { query }),
    get: (plate: string): Promise<VehicleHistory> => this.#get(at("vehicles", plate)),
  };

  readonly plateRules = {
    list: (): List<PlateRule> => list(this.#transport, "/v1/plate-rules", "rules"),
    create: async (input: PlateRuleInput): Promise<PlateRule> =>
      (await this.#transport.json<{ rule: PlateRule }>("POST", "/v1/plate-rules", { json: input })).rule,
    delete: async (id: number): Promise<void> => void (await this.#transport.answer("DELETE", at("plate-rules", id))),
  };

  /** What the hub is; needs no key. */
  index(): Promise<Index> {
    return this.#get("/v1");
  }

  /** Whose key it is, and what it may do. */
  me(): Promise<Me> {
    return this.#get("/v1/me");
  }

  occupancy(): Promise<Occupancy> {
    return this.#get("/v1/occupancy");
  }

  /** The activity feed, newest first. */
  feed({ limit, since }: { limit?: number; since?: Time } = {}): List<FeedItem> {
    return list(this.#transport, "/v1/events", "events", { query: { limit, since: iso(since) } });
  }

  /**
   * Events as they happen, over as many connections as it takes. After `stream.ready` load what you show; after
   * `stream.gap` load it again. Ends with `break`, or the signal.
   */
  events(options: EventsOptions = {}): AsyncIterable<HubEvent> {
    return { [Symbol.asyncIterator]: () => events(this.#transport, options) };
  }

  #get<Body>(path: string, query: Call["query"] = {}): Promise<Body> {
    return this.#transport.json("GET", path, { query });
  }
}
