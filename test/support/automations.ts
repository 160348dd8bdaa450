import type { Facts } from "../../src/core/api/facts.ts";
import type { Scope } from "../../src/core/api/scopes.ts";
import { Bus } from "../../src/core/kernel/bus.ts";
import type { ClockTrustState, ClockTrustView } from "../../src/core/kernel/clock-trust.ts";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Countries } from "../../src/core/plates/countries.ts";
import type { Database } from "../../src/core/storage/database.ts";
import { type AccountRow, AccountTable } from "../../src/features/access/tables/account.ts";
import { ApiKeyTable } from "../../src/features/access/tables/api-key.ts";
import { Automations, type AutomationsOptions } from "../../src/features/automations/automations.ts";
import type { House } from "../../src/features/automations/house.ts";
import { decides } from "../../src/features/automations/levers.ts";
import type { SitePlace } from "../../src/features/automations/rules/world.ts";
import type { CommandInput } from "../../src/features/devices/commands.ts";
import { Hands } from "../../src/features/devices/hands.ts";
import { opensOrDisarms } from "../../src/features/devices/rules/guarded.ts";
import { HouseModes } from "../../src/features/house/house-modes.ts";
import { type CarEvidence, Presence } from "../../src/features/house/presence.ts";
import { openDatabase, seedAccount } from "./database.ts";
import { FakeClock } from "./fake-clock.ts";
import { type ShownItem, shownItem } from "./feed.ts";

/** A clock trust that tests set by hand. */
class FakeTrust implements ClockTrustView {
  #state: ClockTrustState;
  readonly #changes = new Set<(state: ClockTrustState, before: ClockTrustState) => void>();
  readonly #jumps = new Set<(jumpMs: number) => void>();

  constructor(state: ClockTrustState = "trusted") {
    this.#state = state;
  }

  state(): ClockTrustState {
    return this.#state;
  }

  onChange(listener: (state: ClockTrustState, before: ClockTrustState) => void): () => void {
    this.#changes.add(listener);
    return () => this.#changes.delete(listener);
  }

  onJump(listener: (jumpMs: number) => void): () => void {
    this.#jumps.add(listener);
    return () => this.#jumps.delete(listener);
  }

  /** Drops every listener, as the end of the process does. */
  forgetListeners(): void {
    this.#changes.clear();
    this.#jumps.clear();
  }

  become(state: ClockTrustState): void {
    const before = this.#state;
    this.#state = state;
    for (const listener of this.#changes) listener(state, before);
  }

  jumped(jumpMs: number): void {
    for (const listener of this.#jumps) listener(jumpMs);
  }
}

/** A device as rules see it. */
type SeenDevice = NonNullable<ReturnType<House["registry"]["find"]>>;

/** A household around the real engine and a real database file; only time and devices are simulated. */
export class Household {
  readonly clock: FakeClock;
  readonly trust = new FakeTrust();
  readonly commands: CommandInput[] = [];
  readonly feed: ShownItem[] = [];
  persons: { readonly id: number; readonly role: "owner" | "member" }[] = [{ id: 1, role: "owner" }];
  readonly scenes: number[] = [];
  /** Who answers for every rule; null: the household. */
  issuer: number | null = null;
  readonly lan: { title: string; body: string }[] = [];
  readonly devices = new Map<string, SeenDevice>();
  readonly siteId: number;
  readonly otherSiteId: number;
  place: SitePlace = { timeZone: "UTC", latitude: null, longitude: null };
  inside = 0;
  /** Valid keys, with their scopes. */
  readonly keys = new Map<number, readonly Scope[]>();
  /** Devices whose commands are refused, and why. */
  readonly refusals = new Map<string, Error>();
  /** Actors and persons who may not open everything now. */
  readonly bound = new Set<string | number>();
  readonly #hands: Hands;
  /** Called with each accepted command: tests simulate the device's answer here. */
  answer: (command: CommandInput) => void = () => {};
  automations: Automations;
  modes: HouseModes;
  presence: Presence;
  /** What the register of the gate says of cars, by plate. */
  readonly cars = new Map<string, CarEvidence>();
  bus = new Bus<Facts>(silentLogger);
  readonly #folder: string;
  readonly #extra: Partial<AutomationsOptions>;
  database: Database;

  private constructor(
    folder: string,
    database: Database,
    options: { startAt?: string; extra?: Partial<AutomationsOptions> },
  ) {
    this.#folder = folder;
    this.#extra = options.extra ?? {};
    this.database = database;
    this.clock = new FakeClock(Date.parse(options.startAt ?? "2026-03-02T06:00:00Z"));
    this.#hands = new Hands(this.clock);
    const { siteId, testSiteId } = seedAccount(database);
    this.siteId = siteId;
    this.otherSiteId = testSiteId;
    for (const id of ["lamp", "fan", "plug"]) this.device(id, "light");
    this.device("gate", "gate");
    this.device("lock", "lock");
    this.device("stranger", "light", this.otherSiteId);
    this.modes = this.#houseModes();
    this.presence = this.#presence();
    this.automations = this.#build();
  }

  static async open(
    folder: string,
    options: { startAt?: string; extra?: Partial<AutomationsOptions>; trust?: ClockTrustState } = {},
  ): Promise<Household> {
    const household = new Household(folder, await openDatabase(folder), options);
    if (options.trust !== undefined) household.trust.become(options.trust);
    await household.presence.start();
    await household.automations.start();
    return household;
  }

  device(id: string, type: string, siteId = this.siteId): void {
    this.devices.set(id, {
      siteId,
      name: id,
      type,
      online: true,
      state: {},
      battery: null,
      commandSchema: null,
      opensForPlates: false,
    });
  }

  /** A key of the household with these scopes; returns its id. */
  key(scopes: readonly Scope[]): number {
    const { accountId } = this.database.raw
      .prepare<[], { accountId: number }>("SELECT account_id AS accountId FROM site LIMIT 1")
      .get() ?? { accountId: 0 };
    const id = new ApiKeyTable(this.database).insert({
      accountId,
      siteId: this.siteId,
      name: "App",
      env: "live",
      keyHash: "hash",
      prefix: "gth_live_",
      lastFour: "abcd",
      scopes: "[]",
      origins: "[]",
      createdAt: 0,
      expiresAt: null,
    });
    this.keys.set(id, scopes);
    return id;
  }

  async close(): Promise<void> {
    await this.automations.stop();
    await this.presence.stop();
    await this.database.stop();
  }

  /** Cuts the power for `offMs`: there is no orderly stop, and a new process starts on the same file. */
  async powerCut(offMs: number, before: () => void = () => {}): Promise<void> {
    await this.settle();
    this.clock.forgetTimers();
    this.trust.forgetListeners();
    await this.database.stop();
    this.clock.jump(offMs);
    before();
    this.database = await openDatabase(this.#folder);
    this.bus = new Bus<Facts>(silentLogger);
    this.modes = this.#houseModes();
    this.presence = this.#presence();
    await this.presence.start();
    this.automations = this.#build();
    await this.automations.start();
  }

  /** Sends a state message of a device. */
  state(
    deviceId: string,
    patch: JsonObject,
    options: { initial?: boolean; source?: Facts["device.changed"]["source"] } = {},
  ): void {
    const device = this.devices.get(deviceId);
    if (device === undefined) throw new Error(`no device ${deviceId}`);
    const previous = device.state;
    const state = { ...previous, ...patch };
    this.devices.set(deviceId, { ...device, state });
    const changed = Object.keys(patch).filter((key) => previous[key] !== patch[key]);
    const fact = {
      siteId: device.siteId,
      deviceId,
      state,
      previous,
      changed,
      source: options.source ?? ("device" as const),
      at: this.clock.now(),
      initial: options.initial ?? false,
    };
    this.bus.announce("device.changed", fact);
  }

  /** Sends a charge among a device's measured values. */
  charge(deviceId: string, battery: number): void {
    const device = this.devices.get(deviceId);
    if (device === undefined) throw new Error(`no device ${deviceId}`);
    this.devices.set(deviceId, { ...device, battery });
    const { siteId, battery: previous } = device;
    this.bus.announce("device.battery", { siteId, deviceId, battery, previous, at: this.clock.now() });
  }

  /** Makes a rule and returns its id. */
  async rule(body: JsonObject): Promise<number> {
    const rule = await this.automations.create(this.siteId, { name: "Rule", action: commandTo("lamp"), ...body });
    return rule.id;
  }

  /** Somebody commands a device by hand. */
  commandByHand(deviceId: string, actor: string): void {
    this.#hands.commanded(deviceId, this.bound.has(actor));
  }

  /** Waits until everything handed over is on disk. */
  async settle(): Promise<void> {
    for (let i = 0; i < 3; i++) {
      await this.database.write(() => {});
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Reasons of a rule's traces, newest first: `ran`, `waiting`, or the reason why not. */
  async story(id: number): Promise<string[]> {
    await this.settle();
    return (await this.automations.traces(this.siteId, id)).map((trace) => trace.reason ?? trace.outcome);
  }

  /** Another person of the household; returns their id. */
  person(name: string, role: "owner" | "member" = "member"): number {
    const { id } = this.database.raw
      .prepare<[string, string], { id: number }>(
        `INSERT INTO account (id, email, name, password_hash, role, household_of, uid, role_at, created_at, updated_at)
           SELECT max(id) + 1, ?, ?, '', 'member', min(id), hex(randomblob(16)), 0, 0, 0 FROM account RETURNING id`,
      )
      .get(`${name}@example.org`, name) ?? { id: 0 };
    this.persons = [...this.persons, { id, role }];
    return id;
  }

  /** A car is seen to come in or to leave. */
  async car(plate: string, says: "home" | "away", at = this.clock.now()): Promise<void> {
    this.cars.set(plate, { says, at });
    await this.database.write(() => this.presence.carMoved(this.siteId, plate));
    await this.settle();
  }

  #base() {
    return { database: this.database, clock: this.clock, bus: this.bus, logger: silentLogger };
  }

  #houseModes(): HouseModes {
    return new HouseModes(this.#base(), { record: (item) => this.#record(item) }, { refuseLever: () => {} });
  }

  #presence(): Presence {
    const accounts = {
      personsOf: () => this.#accounts(),
      find: (id: number) => this.#accounts().find((row) => row.id === id) ?? null,
      siteIdOf: () => this.siteId,
      hasEnded: () => false,
    };
    const registry = { find: (id: string) => this.devices.get(id) ?? null };
    const presence = new Presence(this.#base(), { accounts, registry, recordAudit: () => {} });
    presence.carsKnownBy(
      (_siteId, plate) => this.cars.get(plate) ?? null,
      (text) => text.replaceAll(" ", ""),
    );
    return presence;
  }

  #accounts(): AccountRow[] {
    const table = new AccountTable(this.database);
    return this.persons.flatMap(({ id }) => table.find(id) ?? []);
  }

  #record(item: Parameters<House["feed"]["record"]>[0]): null {
    this.feed.push(shownItem(item));
    return null;
  }

  #build(): Automations {
    return new Automations({
      database: this.database,
      clock: this.clock,
      trust: this.trust,
      logger: silentLogger,
      bus: this.bus,
      house: this.#house(),
      ...this.#extra,
    });
  }

  #house(): House {
    const house: House = {
      registry: { find: (id) => this.devices.get(id) ?? null },
      commands: {
        send: async (command) => {
          const refusal = this.refusals.get(command.deviceId);
          if (refusal !== undefined) throw refusal;
          this.commands.push(command);
          this.#hands.commanded(command.deviceId, command.opensNothing === true || this.bound.has(command.actor));
          this.answer(command);
          return { commandId: this.commands.length, command: command.command };
        },
        opens: (id, command) => opensOrDisarms(this.devices.get(id) ?? null, command),
        movedBy: (id) => [id],
        hands: this.#hands,
      },
      scenes: {
        modeOf: () => null,
        actionsOf: (siteId, sceneId) =>
          siteId === this.siteId && sceneId === 1
            ? ["lamp", "gate"].map((id) => ({ deviceId: id, command: { open: true } }))
            : null,
        activate: async (_siteId, sceneId) => {
          this.scenes.push(sceneId);
          return { name: "Evening", sent: 1, skipped: [], refused: [] };
        },
        nameOf: () => "Evening",
        devicesOf: (siteId, sceneId) => (siteId === this.siteId && sceneId === 1 ? ["lamp", "gate"] : null),
      },
      accounts: { site: () => ({ ...this.place, env: "live" }), personsOf: () => this.persons },
      keys: { author: (keyId) => ({ name: `key ${keyId}`, scopes: this.keys.get(keyId) ?? null }) },
      limits: {
        isBound: (actor) => this.bound.has(actor),
        isPersonBound: (person) => this.bound.has(person),
      },
      grants: { stands: () => true, issuerOf: () => this.issuer },
      feed: {
        record: (item) => this.#record(item),
      },
      outbox: { enqueue: () => {} },
      lan: { notify: (message) => this.lan.push(message) },
      occupancy: { now: () => ({ inside: this.inside }) },
      modes: this.modes,
      presence: this.presence,
      decides: (siteId, step) =>
        decides(siteId, step, this.automations.rules(siteId), {
          registry: { find: (id) => this.devices.get(id) ?? null, list: () => [] },
          commands: house.commands,
          scenes: house.scenes,
          presence: this.presence,
          gate: { deciding: () => [], seeing: () => [] },
        }),
      countries: Countries.all,
      recordAudit: () => {},
    };
    return house;
  }
}

/** An action that switches a device on. */
export function commandTo(deviceId: string, command: JsonObject = { power: true }): JsonObject {
  return { type: "command", deviceId, command };
}

/** A trigger on a device's value becoming true. */
export function whenOn(deviceId: string, field = "power"): JsonObject {
  return { type: "state", deviceId, field, op: "truthy" };
}
