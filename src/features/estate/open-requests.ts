import { randomUUID } from "node:crypto";
import { Problem } from "../../core/kernel/problem.ts";
import { isEstateName } from "./config.ts";
import { hubSubjects, speakerIn } from "./names.ts";
import type { EstateBase, EstatePorts } from "./ports.ts";
import type { Session } from "./session.ts";
import { isCount, isText, objectOf } from "./wire.ts";

/** The requester and the reason; both hubs record it. */
export interface OpenReason {
  readonly actor: string;
  readonly reason: string;
}

const ANSWER_MS = 6_000;
/** A request that was under way for longer opens nothing: its requester has long since been informed of the failure. */
const STALE_MS = 10_000;
const MOST_WAITING = 20;
/** Recent requests that are recognised when they come again; if a manager sends more, they are refused. */
const MOST_RECENT = 1_000;
const ANSWERED = ["sent", "device_not_found", "forbidden", "conflict"] as const;
type Answer = (typeof ANSWERED)[number];

/** What another hub asks; `at`: when, by the servers' clock. */
interface Request extends OpenReason {
  readonly id: string;
  readonly deviceId: string;
  readonly at: number;
}

/** Requests of managers at other hubs to open this hub's gates, and this hub's own to others. */
export class OpenRequests {
  readonly #base: EstateBase;
  readonly #ports: Pick<EstatePorts, "openHere" | "recordAudit" | "gates">;
  readonly #roleOf: (hub: string) => "gate" | "manager" | null;
  readonly #waiting = new Map<string, (answer: Answer) => void>();
  /** Carried out requests, and when each becomes too old anyway: one request opens once. */
  readonly #recent = new Map<string, number>();
  #session: Session | null = null;

  constructor(
    base: EstateBase,
    ports: Pick<EstatePorts, "openHere" | "recordAudit" | "gates"> & {
      readonly roleOf: (hub: string) => "gate" | "manager" | null;
    },
  ) {
    this.#base = base;
    this.#ports = ports;
    this.#roleOf = ports.roleOf;
  }

  /** Listens for requests and responses for as long as the session lasts. */
  begin(session: Session): void {
    this.#session = session;
    const { estate, hub } = this.#base.config;
    const any = hubSubjects(estate, "*");
    session.connection.subscribe(any.open(hub), {
      callback: (error, message) => {
        const from = speakerIn(message.subject, estate, "open", hub);
        if (error === null && from !== null) void this.#serve(session, from, message.data);
      },
    });
    session.connection.subscribe(any.answer(hub), {
      callback: (error, message) => {
        const from = speakerIn(message.subject, estate, "answer", hub);
        if (error === null && from !== null) this.#answered(from, message.data);
      },
    });
  }

  end(): void {
    this.#session = null;
  }

  /** Has another hub's gate opened. @throws Problem estate_unreachable, forbidden, device_not_found, conflict */
  async open(hub: string, deviceId: string, { actor, reason }: OpenReason): Promise<void> {
    const { config, clock } = this.#base;
    const session = this.#session;
    if (config.role !== "manager") throw new Problem("forbidden", { code: "forbidden.managerOnly" });
    if (session === null || session.isOver())
      throw new Problem("estate_unreachable", "This hub is cut off from its estate.");
    if (!isEstateName(hub) || this.#roleOf(hub) === null)
      throw new Problem("device_not_found", "There is no such hub in the estate.");
    if (this.#waiting.size >= MOST_WAITING)
      throw new Problem("estate_unreachable", "Too many requests wait for an answer.");
    const id = randomUUID();
    const at = this.#estateNow(); // taken before the disk takes its time: this must not open a minute later
    await this.#audit(actor, "estate.gate_asked", deviceId, { hub, reason });
    const answer = new Promise<Answer | null>((resolve) => {
      this.#waiting.set(`${hub} ${id}`, resolve);
      clock.after(ANSWER_MS, () => resolve(null));
    });
    session.connection.publish(
      hubSubjects(config.estate, config.hub).open(hub),
      JSON.stringify({ id, deviceId, actor, reason, at }),
    );
    const verdict = await answer;
    this.#waiting.delete(`${hub} ${id}`);
    if (verdict === null)
      throw new Problem("estate_unreachable", "The other hub did not answer. Nobody knows whether its gate was told.");
    if (verdict === "device_not_found") throw new Problem("device_not_found", "The hub has no such gate.");
    if (verdict === "forbidden") throw new Problem("forbidden", { code: "forbidden.gatesOfOther" });
    if (verdict === "conflict") throw new Problem("conflict", { code: "conflict.gateNotTaken" });
  }

  async #serve(session: Session, from: string, data: Uint8Array): Promise<void> {
    const request = objectOf(data);
    if (request === null || !isEstateName(from)) return;
    const { id, deviceId, actor, reason, at } = request;
    if (!isText(id, 64) || !isText(deviceId, 64) || !isText(actor, 120) || !isText(reason, 200) || !isCount(at)) return;
    const answer = await this.#carryOut(from, { id, deviceId, actor, reason, at });
    const { estate, hub } = this.#base.config;
    if (!session.isOver())
      session.connection.publish(hubSubjects(estate, hub).answer(from), JSON.stringify({ id, answer }));
  }

  async #carryOut(from: string, { id, deviceId, actor, reason, at }: Request): Promise<Answer> {
    const siteId = this.#base.siteId();
    // the servers allow only managers to ask; this check is the second line
    if (this.#roleOf(from) !== "manager") return "forbidden";
    const gates = this.#ports.gates();
    if (gates === null) return "forbidden";
    if (siteId === null || !gates.some((gate) => gate.deviceId === deviceId)) return "device_not_found";
    if (Math.abs(this.#estateNow() - at) > STALE_MS || !this.#isFirst(`${from} ${id}`)) return "conflict";
    try {
      // the gate first: a slow disk must not open it late
      await this.#ports.openHere(siteId, deviceId, `estate:${from}`);
      await this.#audit(`estate:${from}`, "estate.gate_opened", deviceId, { actor, reason });
      return "sent";
    } catch (error) {
      this.#base.logger.warn({ from, deviceId, err: error }, "a gate could not be opened for another hub");
      return "conflict";
    }
  }

  /** Whether this request is new: one that comes twice, or is replayed by others, opens once. */
  #isFirst(request: string): boolean {
    const now = this.#base.clock.mono();
    for (const [known, until] of this.#recent) {
      if (until > now) break; // in order of arrival
      this.#recent.delete(known);
    }
    if (this.#recent.has(request) || this.#recent.size >= MOST_RECENT) return false;
    this.#recent.set(request, now + 2 * STALE_MS);
    return true;
  }

  #answered(from: string, data: Uint8Array): void {
    const answer = objectOf(data);
    if (answer === null || !isText(answer.id, 64)) return;
    const verdict = ANSWERED.find((one) => one === answer.answer);
    if (verdict !== undefined) this.#waiting.get(`${from} ${answer.id}`)?.(verdict);
  }

  /** The time by the servers' clock: the clocks of two hubs may differ. */
  #estateNow(): number {
    return Math.max(0, this.#base.clock.now() - this.#base.clockOffMs());
  }

  async #audit(actor: string, action: string, target: string, detail: object): Promise<void> {
    const siteId = this.#base.siteId();
    if (siteId === null) return;
    await this.#base.database.writeIfPossible(() =>
      this.#ports.recordAudit({ siteId, actor, action, target, detail, at: this.#base.clock.now() }),
    );
  }
}
