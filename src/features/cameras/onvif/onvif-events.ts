import type { Clock, Timer } from "../../../core/kernel/clock.ts";
import type { Logger } from "../../../core/kernel/logger.ts";
import { reasonOf } from "../../../core/text/described-error.ts";
import type { Detail } from "../../../core/text/keys.ts";
import { CameraTrouble } from "../snapshot.ts";
import { EVENTS, eventServiceOf, MOTION_TOPIC, type OnvifAccess, onHostOf } from "./onvif-camera.ts";
import { callSoap, SoapFault, type SoapPeer } from "./soap.ts";
import { all, escaped, first, textOf, type XmlElement } from "./xml.ts";

const NOTIFICATION = "http://docs.oasis-open.org/wsn/b-2";
/** How long the camera may wait for something to report. */
const PULL_SECONDS = 20;
/** Longer than that, since some cameras answer a little late. */
const PULL_TIMEOUT_MS = 30_000;
const ASK_TIMEOUT_MS = 5_000;
/** The subscription ends after this unless it is renewed. */
const TERM_SECONDS = 120;
const RENEW_MS = 60_000;
/** A camera that answers at once with nothing must not be asked in a tight loop. */
const LEAST_PULL_MS = 200;
const RETRY_FIRST_MS = 2_000;
const RETRY_MOST_MS = 60_000;
/** Sources of one camera whose state is remembered. */
const MAX_SOURCES = 100;
const ON = /^(true|1)$/i;

/** A subscription at the camera: where to pull, and what has to be repeated in each header. */
interface Subscription {
  readonly peer: SoapPeer;
  readonly header: string;
}

/**
 * Motion that a camera detects itself, pulled from its event service (ONVIF pull points). Renews the subscription, and
 * subscribes again after a break.
 */
export class OnvifEvents {
  readonly #options: ConstructorParameters<typeof OnvifEvents>[0];
  readonly #closing = new AbortController();
  readonly #moving = new Map<string, boolean>();
  #running: Promise<void> | null = null;
  #pause: { readonly timer: Timer; readonly end: () => void } | null = null;

  constructor(
    options: OnvifAccess & {
      /** Something begins to move. */
      readonly onMotion: () => void;
      /** Called once each time the camera stops reporting; with null when it reports again. */
      readonly onTrouble: (reason: string | Detail | null) => void;
      readonly clock: Clock;
      readonly logger: Logger;
    },
  ) {
    this.#options = options;
  }

  open(): void {
    this.#running ??= this.#run();
  }

  /** Ends the subscription; resolves when nothing is under way any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#pause?.timer.stop();
    this.#pause?.end();
    await this.#running;
  }

  async #run(): Promise<void> {
    let retryMs = RETRY_FIRST_MS;
    while (!this.#closing.signal.aborted) {
      let subscription: Subscription | null = null;
      try {
        subscription = await this.#subscribe();
        this.#options.onTrouble(null);
        retryMs = RETRY_FIRST_MS;
        await this.#pull(subscription);
      } catch (error) {
        if (this.#closing.signal.aborted) break;
        this.#options.logger.warn({ retryMs, err: error }, "a camera does not tell of motion");
        this.#options.onTrouble(error instanceof CameraTrouble ? reasonOf(error) : { code: "camera.eventsUnreadable" });
        await this.#wait(retryMs);
        retryMs = Math.min(RETRY_MOST_MS, retryMs * 2);
      } finally {
        if (subscription !== null) await this.#unsubscribe(subscription);
      }
    }
  }

  async #subscribe(): Promise<Subscription> {
    this.#moving.clear();
    const service = await eventServiceOf(this.#options);
    const body = `<CreatePullPointSubscription xmlns="${EVENTS}"><InitialTerminationTime>PT${TERM_SECONDS}S</InitialTerminationTime></CreatePullPointSubscription>`;
    const answer = await this.#ask(service, `${EVENTS}/EventPortType/CreatePullPointSubscriptionRequest`, body);
    const reference = first(answer, "SubscriptionReference");
    const url = onHostOf(service, textOf(reference, "Address") ?? "");
    if (url === null) throw new CameraTrouble({ code: "camera.noSubscription" });
    const parameters = first(reference, "ReferenceParameters")?.children ?? [];
    return { peer: { ...service, url }, header: parameters.map(repeated).join("") };
  }

  async #pull(subscription: Subscription): Promise<void> {
    const { clock } = this.#options;
    let renewedAt = clock.mono();
    for (;;) {
      const askedAt = clock.mono();
      const body = `<PullMessages xmlns="${EVENTS}"><Timeout>PT${PULL_SECONDS}S</Timeout><MessageLimit>50</MessageLimit></PullMessages>`;
      const answer = await this.#ask(
        subscription.peer,
        `${EVENTS}/PullPointSubscription/PullMessagesRequest`,
        body,
        subscription.header,
      );
      for (const message of all(answer, "NotificationMessage")) this.#take(message);
      const tookMs = clock.mono() - askedAt;
      if (tookMs < LEAST_PULL_MS) await this.#wait(LEAST_PULL_MS - tookMs);
      if (this.#closing.signal.aborted) return;
      if (clock.mono() - renewedAt < RENEW_MS) continue;
      renewedAt = clock.mono();
      await this.#renew(subscription);
    }
  }

  /** Pulling keeps the subscription of most cameras alive; those without renewal refuse it, and are right to. */
  async #renew({ peer, header }: Subscription): Promise<void> {
    const body = `<Renew xmlns="${NOTIFICATION}"><TerminationTime>PT${TERM_SECONDS}S</TerminationTime></Renew>`;
    await this.#ask(peer, "http://docs.oasis-open.org/wsn/bw-2/SubscriptionManager/RenewRequest", body, header).catch(
      (error: unknown) => {
        if (!(error instanceof SoapFault)) throw error;
      },
    );
  }

  /** Motion that begins: a state that becomes true, or an event without a state (a line is crossed). */
  #take(message: XmlElement): void {
    const topic = textOf(message, "Topic") ?? "";
    const inner = first(first(message, "Message"), "Message") ?? first(message, "Message");
    if (!MOTION_TOPIC.test(topic) || inner === null) return;
    const data = first(inner, "Data");
    const state =
      data === null
        ? undefined
        : all(data, "SimpleItem").find(({ attributes }) => /^(true|false|0|1)$/i.test(attributes.Value ?? ""));
    const isFirst = inner.attributes.PropertyOperation === "Initialized";
    if (state === undefined) {
      if (!isFirst) this.#options.onMotion();
      return;
    }
    const source = first(inner, "Source");
    const key = `${topic} ${source === null ? "" : all(source, "SimpleItem").map(({ attributes }) => attributes.Value)}`;
    const isMoving = ON.test(state.attributes.Value ?? "");
    const begins = isMoving && this.#moving.get(key) !== true && !isFirst;
    if (this.#moving.size >= MAX_SOURCES) this.#moving.clear();
    this.#moving.set(key, isMoving);
    if (begins) this.#options.onMotion();
  }

  #ask(peer: SoapPeer, action: string, body: string, header = ""): Promise<XmlElement> {
    const timeoutMs = action.endsWith("PullMessagesRequest") ? PULL_TIMEOUT_MS : ASK_TIMEOUT_MS;
    return callSoap(peer, { action, body, header, timeoutMs, signal: this.#closing.signal });
  }

  /** Cameras have room for few subscriptions. Failing here does no harm: they expire by themselves. */
  async #unsubscribe({ peer, header }: Subscription): Promise<void> {
    const action = "http://docs.oasis-open.org/wsn/bw-2/SubscriptionManager/UnsubscribeRequest";
    await callSoap(peer, { action, header, body: `<Unsubscribe xmlns="${NOTIFICATION}"/>`, timeoutMs: 1_000 }).catch(
      () => undefined,
    );
  }

  #wait(ms: number): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#pause = { timer: this.#options.clock.after(ms, resolve), end: resolve };
    });
  }
}

/**
 * A reference parameter as it has to be sent back (https://www.w3.org/TR/ws-addr-soap/): Axis and others tell
 * subscriptions apart by it alone.
 */
function repeated({ name, attributes, text }: XmlElement): string {
  const namespace =
    attributes.xmlns ?? Object.entries(attributes).find(([, value]) => /^(https?|urn):/.test(value))?.[1] ?? "";
  return `<${name} xmlns="${escaped(namespace)}" a:IsReferenceParameter="true">${escaped(text)}</${name}>`;
}
