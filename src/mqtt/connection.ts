import type { FrameGuard, ReadValve } from "./frame-guard.js";
import type { DisconnectReason } from "./native-topics.js";

/** Who a credential belongs to. */
export interface DeviceIdentity {
  readonly deviceId: string;
  readonly siteId: number;
  /** The device's type, such as `camera`. */
  readonly type: string;
}

interface Answer {
  ready: boolean;
  readonly send: () => void;
}

/** Sends acknowledgements in the order in which the messages came (MQTT 3.1.1 §4.6), however their work finishes. */
export class OrderedAnswers {
  readonly #waiting: Answer[] = [];

  /** Reserves the next place; the returned functions fill it or give it up. */
  reserve(send: () => void): { ready(): void; abandon(): void } {
    const answer: Answer = { ready: false, send };
    this.#waiting.push(answer);
    return {
      ready: () => {
        answer.ready = true;
        this.#sendReady();
      },
      abandon: () => {
        const place = this.#waiting.indexOf(answer);
        if (place !== -1) this.#waiting.splice(place, 1);
        this.#sendReady();
      },
    };
  }

  #sendReady(): void {
    while (this.#waiting[0]?.ready) this.#waiting.shift()?.send();
  }
}

/** What the broker knows of one connection beside Aedes. */
export interface Connection {
  readonly address: string;
  readonly guard: FrameGuard;
  readonly valve: ReadValve;
  readonly answers: OrderedAnswers;
  /** To be called once the client is accepted. */
  readonly accepted: () => void;
  /** Null until the credential was accepted. */
  identity: DeviceIdentity | null;
  /** Why the connection ends, when the broker knows better than the socket. */
  reason: DisconnectReason | null;
  /** An empty client id that asked for a session: refused (MQTT 3.1.1 §3.1.3.1). */
  namelessSession: boolean;
  /** The client's last connection broke, or ended with the hub's last run: it may send again what was in flight. */
  mayRepeat: boolean;
  /** Messages taken and not finished. */
  unfinished: number;
  /** A message could not be stored; the connection is about to be closed. */
  closing: boolean;
}
