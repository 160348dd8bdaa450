import { type ClientNode, DnsRecordType, type DnssdName, Logger, Minutes, Seconds } from "@matter/main";
import {
  ClientInteraction,
  ClientSubscriptions,
  type PeerAddress,
  PeerSet,
  PeerUnresponsiveError,
  SessionManager,
  Subscribe,
  type SustainedSubscription,
} from "@matter/main/protocol";
import { systemClock, type Timer } from "../../../../core/kernel/clock.ts";
import { type BucketPolicy, TokenBuckets } from "../../../../core/kernel/token-bucket.ts";
import { NodePicture } from "../../controller/node-picture.ts";
import { Pace } from "../../controller/pace.ts";
import type { PartContext } from "../part.ts";

const logger = Logger.get("Controller");

/**
 * A lost subscription is set up again automatically: after a few seconds, then less often, each node at its own time.
 */
const AGAIN = { initialInterval: Seconds(4), maximumInterval: Minutes(10), backoffFactor: 2, jitterFactor: 0.5 };
/** A mains device reports at least this often that it is there; one with a battery seldom. */
const CEILING = { mains: Seconds(30), battery: Minutes(10) };
/**
 * A mains device that is silent for longer is queried, and so is one whose announcement changed: a restarted device
 * does not know its subscriptions.
 */
const SILENT_MS = 35_000;
const LOOK_MS = 5_000;
const ANNOUNCED_MS = 500;
/**
 * A node announces itself when it starts, with the same words as before. It also does so when it is looked up, so it is
 * not queried each time: a query wakes a sleeping device.
 */
const ASKS: Readonly<Record<keyof typeof CEILING, BucketPolicy>> = {
  mains: { quota: 4, periodMs: 60_000, burst: 4 },
  battery: { quota: 1, periodMs: 600_000, burst: 3 },
};
const ANSWER_MS = 4_000;
/** Reports in one picture of a node; one that sends more is ignored. */
const MOST_IN_PICTURE = 60_000;
/** A node that is silent for this long after a start, or after its subscription has ended, is offline. */
const FIRST_MS = 20_000;
const GRACE_MS = 5_000;
/** How long a node that reports endlessly is ignored. */
const STORM_PAUSE_MS = 300_000;
const LEAVE_EVENT = 2;
const BASIC_INFORMATION = 0x28;

/**
 * One node of the hub's fabric: keeps a subscription to it and a bounded picture of it, and reports changes to the hub.
 * The library's own picture of a node is not used: it keeps every attribute, in memory and on the card.
 */
export class Peer {
  readonly #options: ConstructorParameters<typeof Peer>[0];
  readonly #pace = new Pace();
  readonly #address: PeerAddress;
  readonly interaction: ClientInteraction;
  #picture = new NodePicture();
  #subscription: SustainedSubscription | null = null;
  #ceiling: keyof typeof CEILING = "mains";
  #isComplete = false;
  #isOver = false;
  #online: boolean | null = null;
  #presence: Timer | null = null;
  #telling: Timer | null = null;
  #pause: Timer | null = null;
  #announced: Timer | null = null;
  readonly #watch: Timer;
  readonly #unhear: () => void;
  #heardMono = systemClock.mono();
  #triedMono = 0;
  readonly #asks = { mains: new TokenBuckets(ASKS.mains, 1), battery: new TokenBuckets(ASKS.battery, 1) };
  #isAsking = false;
  #isTelling = false;
  readonly #read: Promise<void>;
  #wasRead: () => void = () => {};

  constructor(options: {
    readonly name: string;
    readonly node: ClientNode;
    readonly link: PartContext["link"];
    /** The node reports that it has left. */
    readonly left: () => void;
  }) {
    this.#options = options;
    const { node } = options;
    const address = node.state.commissioning.peerAddress;
    if (address === undefined) throw new Error("a node without an address in the fabric");
    this.#address = address;
    const { exchangeProvider, service } = node.env.get(PeerSet).for(address);
    this.interaction = new ClientInteraction({
      environment: node.env,
      exchangeProvider,
      sustainRetries: AGAIN,
    });
    this.#read = new Promise((resolve) => {
      this.#wasRead = resolve;
    });
    this.#awayAfter(FIRST_MS);
    void this.#subscribe();
    this.#watch = systemClock.every(LOOK_MS, () => {
      if (
        this.#ceiling === "mains" &&
        this.#subscription?.active.value === true &&
        systemClock.mono() - this.#heardMono > SILENT_MS
      )
        void this.#ask();
    });
    const askNow = (): void => {
      const { allowed, retryAfterSeconds } = this.#asks[this.#ceiling].take("", systemClock.mono());
      this.#announced = allowed ? null : systemClock.after(retryAfterSeconds * 1_000, askNow);
      if (allowed) void this.#ask();
    };
    const askSoon = (): void => {
      this.#announced ??= systemClock.after(ANNOUNCED_MS, askNow);
    };
    const announced = (changes?: DnssdName.Changes): void => {
      if (changes?.updated?.some(({ recordType }) => recordType === DnsRecordType.SRV)) askSoon();
    };
    service.changed.on(askSoon);
    service.name.on(announced);
    this.#unhear = () => {
      service.changed.off(askSoon);
      service.name.off(announced);
    };
  }

  /** Resolves when the node has been read for the first time. */
  get read(): Promise<void> {
    return this.#read;
  }

  /** Ends the subscription. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#unhear();
    for (const timer of [this.#watch, this.#presence, this.#telling, this.#pause, this.#announced]) timer?.stop();
    this.#subscription?.close();
    await this.interaction.close();
  }

  async #subscribe(): Promise<void> {
    if (this.#isOver) return;
    this.#triedMono = systemClock.mono();
    let reports = 0;
    const request = Subscribe({
      fabricFilter: true,
      keepSubscriptions: false,
      attributes: [{}],
      events: [{ isUrgent: true }],
      minIntervalFloor: Seconds(0),
      maxIntervalCeiling: CEILING[this.#ceiling],
    });
    try {
      this.#subscription = await this.interaction.subscribe({
        ...request,
        sustain: true,
        bootstrapWithRead: false,
        keepaliveReceived: () => {
          this.#heardMono = systemClock.mono();
        },
        updated: async (data) => {
          reports = 0;
          this.#heardMono = systemClock.mono();
          for await (const chunk of data) {
            for await (const report of chunk) {
              reports += 1;
              if (reports > MOST_IN_PICTURE) return this.#leaveAlone("it reports more than a house can have");
              if (report.kind === "attr-value")
                this.#picture.attribute(
                  report.path.endpointId,
                  report.path.clusterId,
                  report.path.attributeId,
                  report.value,
                );
              else if (report.kind === "event-value") this.#event(report.path, report.value);
            }
          }
          if (this.#pace.isStorm(systemClock.mono())) return this.#leaveAlone("it reports without end");
          this.#taken();
        },
      });
      const subscription = this.#subscription;
      subscription.active.on((isActive) => {
        if (this.#subscription === subscription) this.#reached(isActive);
      });
    } catch (error) {
      logger.warn("no subscription to", this.#options.name, error);
      this.#leaveAlone("it cannot be subscribed to");
    }
  }

  /**
   * Queries whether a node still knows the hub. If it does not respond, everything starts over at once, not only when a
   * subscription has ended.
   */
  async #ask(): Promise<void> {
    if (this.#isOver || this.#isAsking || this.#pause !== null) return;
    if (this.#subscription !== null && !this.#subscription.active.value) {
      if (systemClock.mono() - this.#triedMono < LOOK_MS) return; // an attempt is under way
      this.#subscription.close(); // it would wait for its next attempt
      return void this.#subscribe();
    }
    this.#isAsking = true;
    try {
      const knows = await this.interaction.probe({
        abort: AbortSignal.timeout(this.#ceiling === "mains" ? ANSWER_MS : 4 * ANSWER_MS),
        suppressPeerLoss: true,
      });
      this.#heardMono = systemClock.mono();
      if (!knows && !this.#isOver) await this.#beginAnew();
    } finally {
      this.#isAsking = false;
    }
  }

  /**
   * Ends what the node has forgotten: the sessions, and the subscription, which then makes its next attempt at once.
   */
  async #beginAnew(): Promise<void> {
    const { env } = this.#options.node;
    await env.get(SessionManager).handlePeerLoss(this.#address, { cause: new PeerUnresponsiveError() });
    env.get(ClientSubscriptions).closeForPeer(this.#address);
  }

  #event(
    { endpointId, clusterId, eventId }: { endpointId: number; clusterId: number; eventId: number },
    value: unknown,
  ): void {
    // Events reported when a subscription begins happened some time before.
    if (!this.#isComplete || this.#subscription?.active.value !== true) return;
    const { fabricIndexOnPeer } = this.#options.node.state.commissioning;
    const isOurs =
      typeof value === "object" && value !== null && "fabricIndex" in value && value.fabricIndex === fabricIndexOnPeer;
    if (endpointId === 0 && clusterId === BASIC_INFORMATION && eventId === LEAVE_EVENT && isOurs) this.#options.left();
    else this.#picture.event(endpointId, clusterId, eventId, value);
  }

  /** All of a report was taken in. */
  #taken(): void {
    const endpoints = this.#picture.endpoints();
    const isBattery =
      endpoints.some(({ values }) => typeof values.battery === "number") &&
      endpoints.every(({ number, deviceTypes }) => number !== 0 || !deviceTypes.includes(0x0e));
    if (isBattery && this.#ceiling === "mains") {
      this.#ceiling = "battery";
      this.#subscription?.close();
      void this.#subscribe();
    }
    this.#describe(isBattery);
    this.#tellSoon();
  }

  /** Describes the node to the library, so that it waits long enough: radio and battery need patience. */
  #describe(isBattery: boolean): void {
    const { env } = this.#options.node;
    const supportsThread = this.#picture.isOnThread;
    env.get(PeerSet).for(this.#address).physicalProperties = {
      supportsThread,
      supportsWifi: !supportsThread,
      supportsEthernet: !supportsThread,
      rootEndpointServerList: [],
      isMainsPowered: !isBattery,
      isBatteryPowered: isBattery,
      isIntermittentlyConnected: false,
      isLongIdleTimeOperating: false,
      isThreadSleepyEndDevice: supportsThread && isBattery,
    };
  }

  #reached(isActive: boolean): void {
    if (this.#isOver) return;
    if (!isActive) {
      this.#awayAfter(GRACE_MS);
      return;
    }
    this.#presence?.stop();
    this.#presence = null;
    this.#tellReach(true);
  }

  #awayAfter(ms: number): void {
    this.#presence ??= systemClock.after(ms, () => {
      this.#presence = null;
      if (this.#subscription?.active.value !== true) this.#tellReach(false);
    });
  }

  #tellReach(online: boolean): void {
    if (this.#online === online || this.#isOver) return;
    this.#online = online;
    const { link, name } = this.#options;
    link.call("controller.reach", { node: name, online }).catch(() => {
      this.#online = null; // reported again with the next change
    });
  }

  #leaveAlone(why: string): void {
    if (this.#isOver || this.#pause !== null) return;
    logger.warn(this.#options.name, "is left alone for a while:", why);
    this.#subscription?.close();
    this.#subscription = null;
    this.#awayAfter(GRACE_MS);
    this.#pause = systemClock.after(STORM_PAUSE_MS * (0.75 + Math.random() / 2), () => {
      this.#pause = null;
      void this.#subscribe();
    });
  }

  #tellSoon(): void {
    if (this.#telling !== null) {
      if (!this.#picture.hasChanged) return;
      this.#telling.stop();
      this.#telling = null;
    }
    if (this.#isOver || this.#isTelling || (this.#isComplete && !this.#picture.hasChanged)) return;
    const due = this.#pace.due(
      systemClock.mono(),
      this.#picture.changedNames(),
      !this.#isComplete || this.#picture.isUrgent,
    );
    this.#telling = systemClock.at(due, () => {
      this.#telling = null;
      this.#isTelling = true;
      void this.#tell().finally(() => {
        this.#isTelling = false;
        if (this.#picture.hasChanged) this.#tellSoon();
      });
    });
  }

  async #tell(): Promise<void> {
    const { link, name } = this.#options;
    const { values, pressed, isOther } = this.#picture.takeChanges();
    this.#pace.told(
      systemClock.mono(),
      values.map((value) => value.name),
    );
    try {
      if (isOther || !this.#isComplete)
        await link.call("controller.node", {
          node: name,
          endpoints: this.#picture
            .endpoints()
            .map((one) => ({ ...one, deviceTypes: [...one.deviceTypes], parts: [...one.parts] })),
        });
      if (this.#isComplete && (values.length > 0 || pressed.length > 0))
        await link.call("controller.report", { node: name, values: [...values], pressed: [...pressed] });
      this.#isComplete = true;
      this.#wasRead();
    } catch (error) {
      logger.warn("the hub did not take what", name, "reports:", error);
      this.#isComplete = false; // all of it is reported with the next change
    }
  }
}
