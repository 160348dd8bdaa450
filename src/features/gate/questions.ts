/**
 * What the gate asks before it opens. In: a vehicle whose plate earns a question, with what opens the gate for it. Out:
 * the answer of a person or a device, carried out while it is still true, and what the read says of it. Questions live
 * in memory and end with the process: a power cut means shut. It must not know how plates are decided, nor how
 * somebody is asked.
 */

import { randomBytes } from "node:crypto";
import type { Facts } from "../../core/api/facts.ts";
import type { Base } from "../../core/base.ts";
import type { Timer } from "../../core/kernel/clock.ts";
import { evictionCandidate } from "../../core/kernel/fair-eviction.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { TokenBuckets } from "../../core/kernel/token-bucket.ts";
import { UnderWay } from "../../core/kernel/under-way.ts";
import type { AskedFor } from "../../core/plates/doubts.ts";
import type { QuestionState } from "../../core/plates/opening.ts";
import type { Oddity } from "../../core/plates/presented.ts";
import type { PersonLimits } from "../access/person-limits.ts";
import type { Hands } from "../devices/hands.ts";
import type { DeviceRegistry } from "../devices/registry.ts";
import type { GateChoices, Reported } from "./gate-choices.ts";
import type { GateFeed } from "./gate-feed.ts";
import type { EncodeImage } from "./ports.ts";
import type { ShownRead } from "./tables/plate-read.ts";
import type { GateTables } from "./tables.ts";
import type { VisitMatcher } from "./visit-matcher.ts";

/** Why a question ended without the gate being told; null: it was told. */
type QuestionEnd = Exclude<QuestionState, "asked" | "opened"> | null;

/** A vehicle about which somebody is asked. */
export interface NewQuestion {
  readonly siteId: number;
  /** The camera. */
  readonly deviceId: string;
  readonly gateId: string;
  readonly readId: number;
  readonly plate: string;
  readonly formatted: string;
  /** Of its rule; may be empty. */
  readonly label: string;
  /** `confirm`: a device may answer too; `ask`: only a person. */
  readonly kind: "confirm" | "ask";
  /** Why somebody is asked. */
  readonly askedFor: AskedFor;
  /** What is odd about how the plate comes. */
  readonly odd: readonly Oddity[];
  /** Of a near miss, the listed plate as it is shown; null: none. */
  readonly meant: string | null;
  /** No answer counts later; monotonic. */
  readonly untilMono: number;
  /** The frame that shows it best, as the camera sent it. */
  readonly frame: Uint8Array | null;
  /** Tells the gate to open, unless the rules have changed since. Settles once the broker has taken the command, or not. */
  readonly open: (actor: string) => "rule_changed" | Promise<void>;
  /** Runs a job once the read itself is stored. */
  readonly afterStored: (job: () => void) => Promise<unknown>;
}

/** A question as it is shown; times are epoch milliseconds. */
export interface QuestionView
  extends Pick<
    NewQuestion,
    "deviceId" | "gateId" | "readId" | "plate" | "formatted" | "label" | "kind" | "askedFor" | "odd" | "meant"
  > {
  /** Cannot be guessed, and is never used again. */
  readonly id: string;
  readonly state: QuestionState;
  readonly askedAt: number;
  readonly expiresAt: number;
}

/** How a pass's question stands, for its further reads. */
export interface AskedPass {
  readonly state: QuestionState;
}

/** How long somebody may take to answer. */
export const ANSWER_WITHIN_MS = 60_000;
/** Questions that are remembered, with those that have ended; each waiting one holds a picture. */
const MOST = 50;
/** Wrong PINs at one camera: a few at once, then one a minute. */
const PIN_TRIES = { quota: 1, periodMs: 60_000, burst: 5 };

interface Asked extends NewQuestion {
  readonly id: string;
  state: QuestionState;
  readonly askedAt: number;
  readonly askedMono: number;
  readonly expiresAt: number;
  /** Reads of further passes of the same vehicle while it waited. */
  readonly further: number[];
  /** Gone when it has ended. */
  picture: Promise<Uint8Array | null> | null;
  timer: Timer | null;
}

interface Siblings {
  readonly tables: GateTables;
  readonly feed: GateFeed;
  readonly choices: GateChoices;
  readonly registry: DeviceRegistry;
  readonly hands: Pick<Hands, "isCommanded">;
  readonly limits: Pick<PersonLimits, "isBound" | "refuse">;
  readonly visitMatcher: VisitMatcher;
  readonly encodeImage: EncodeImage;
}

/** The questions of every household on the hub. */
export class Questions {
  readonly name = "gate questions";
  readonly #base: Base;
  readonly #siblings: Siblings;
  /** By id, the oldest first. */
  readonly #asked = new Map<string, Asked>();
  readonly #pinTries = new TokenBuckets(PIN_TRIES);
  readonly #writes = new UnderWay();
  #stops: readonly (() => void)[] = [];

  constructor(base: Base, siblings: Siblings) {
    this.#base = base;
    this.#siblings = siblings;
  }

  /** Notes that what was asked when the hub stopped was never answered, and listens to devices that confirm. */
  async start(): Promise<void> {
    const { database, bus } = this.#base;
    const { tables, feed } = this.#siblings;
    await database.writeIfPossible(() => {
      for (const read of tables.reads.asked()) {
        tables.reads.setNotTold(read.id, "interrupted");
        feed.keptShut(read, "interrupted", null);
      }
    });
    this.#stops = [
      bus.on("device.changed", this.name, ({ deviceId, state, changed, source, initial }) => {
        if (!initial && source === "device") this.#reported({ deviceId, state, changed });
      }),
      bus.on("gate.opening", this.name, (fact) => this.#opening(fact)),
      bus.on("device.event", this.name, ({ deviceId, kind }) => this.#reported({ deviceId, event: kind })),
    ];
  }

  /** Waits for what is being written. What is still asked stays so in its read, and the next start says what became of it. */
  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    for (const asked of this.#asked.values()) asked.timer?.stop();
    await this.#writes.settled();
  }

  /** Asks, unless the same vehicle waits for an answer already. The read says `asked` until there is one. */
  ask(question: NewQuestion): AskedPass {
    const { clock } = this.#base;
    const { encodeImage } = this.#siblings;
    const standing = this.#waiting(question.deviceId).find(({ plate }) => plate === question.plate);
    if (standing !== undefined) {
      standing.further.push(question.readId);
      return standing;
    }
    const [now, mono] = [clock.now(), clock.mono()];
    const asked: Asked = {
      ...question,
      id: randomBytes(12).toString("base64url"),
      state: "asked",
      askedAt: now,
      askedMono: mono,
      expiresAt: now + Math.max(0, Math.round(question.untilMono - mono)),
      further: [],
      picture: question.frame === null ? null : encodeImage(question.frame, question.deviceId).catch(() => null),
      timer: null,
    };
    asked.timer = clock.at(question.untilMono, () => this.#expire(asked));
    this.#makeRoom();
    this.#asked.set(asked.id, asked);
    this.#announce(asked);
    return asked;
  }

  /**
   * The next vehicle is at a camera: who would open for the one before it would let it in.
   * @param isItself whether it may be the one that waits, by its plate
   * @param arrivedMono when it was first seen; what was asked later stands
   */
  nextVehicle(deviceId: string, isItself: (plate: string) => boolean, arrivedMono: number): void {
    for (const asked of this.#waiting(deviceId))
      if (asked.askedMono < arrivedMono && !isItself(asked.plate)) this.#end(asked, "next_vehicle", null);
  }

  /** Questions of a household that wait for an answer, the oldest first. */
  list(siteId: number): QuestionView[] {
    return [...this.#asked.values()].filter((asked) => asked.siteId === siteId && asked.state === "asked").map(toView);
  }

  /** The picture of a question that waits. @throws Problem not_found, image_not_found. */
  async image(siteId: number, id: string): Promise<Buffer> {
    const picture = await this.#find(siteId, id).picture;
    if (picture === null) throw new Problem("image_not_found", "There is no picture, or the question has ended.");
    return Buffer.from(picture);
  }

  /**
   * Carries out an answer; whether the caller may give one has been checked by then. The gate's command leaves before
   * anything is written.
   * @throws Problem not_found; conflict when it is too late, somebody else was faster, or the rules have changed; forbidden
   *   to who may not open the gate now; what the command is refused with
   */
  async answer(siteId: number, id: string, opens: boolean, actor: string): Promise<QuestionView> {
    const asked = this.#find(siteId, id);
    if (this.#base.clock.mono() > asked.untilMono) this.#expire(asked);
    refuseUnlessAsked(asked);
    if (opens) await this.#open(asked, actor);
    else {
      this.#siblings.limits.refuse(actor, siteId, asked.gateId); // "no" ends it for everybody who may open
      this.#end(asked, "kept_shut", actor);
    }
    return toView(asked);
  }

  async #open(asked: Asked, actor: string): Promise<void> {
    const sent = asked.open(actor);
    if (sent === "rule_changed") {
      this.#end(asked, "rule_changed", null);
      throw new Problem("conflict", { code: "conflict.question.rule_changed" });
    }
    asked.state = "opened"; // from now on nobody else opens for it
    try {
      await sent;
    } catch (error) {
      asked.state = "asked"; // the gate has not got it: another try is possible
      if (this.#base.clock.mono() > asked.untilMono) this.#expire(asked);
      throw error;
    }
    this.#end(asked, null, actor);
  }

  /**
   * The gate was opened by somebody who did not answer, or by hand: nothing is left to ask. Who let another vehicle in
   * has not answered for this one.
   */
  #opening({ deviceId, readId, result }: Facts["gate.opening"]): void {
    if (result === "not_opened") return;
    for (const asked of this.#asked.values()) {
      const isForAnother = readId !== null && readId !== asked.readId && !asked.further.includes(readId);
      if (asked.state === "asked" && asked.gateId === deviceId && !isForAnother)
        this.#end(asked, "opened_otherwise", null);
    }
  }

  #reported(reported: Reported): void {
    const { clock, logger } = this.#base;
    const { choices, hands } = this.#siblings;
    const byCamera = Map.groupBy(
      [...this.#asked.values()].filter(({ kind, state }) => kind === "confirm" && state === "asked"),
      ({ deviceId }) => deviceId,
    );
    for (const [cameraId, waiting] of byCamera) {
      const [asked] = waiting;
      // a tag does not say which of two vehicles it is for
      if (asked === undefined || this.#waiting(cameraId).length > 1) continue;
      const verdict = choices.confirms(asked.siteId, cameraId, reported);
      if (verdict === "no") continue;
      // a state that a command of the hub caused shows nobody at the gate; a PIN does, since no command enters one
      if (verdict === "yes" && hands.isCommanded(reported.deviceId)) continue;
      if (verdict !== "yes" && !this.#pinTries.take(cameraId, clock.mono()).allowed) continue;
      if (verdict === "pin") this.#pinTries.giveBack(cameraId);
      if (verdict !== "wrong_pin")
        void this.answer(asked.siteId, asked.id, true, `device:${reported.deviceId}`).catch((error: unknown) =>
          logger.warn({ deviceId: reported.deviceId, err: error }, "a confirmation at the gate came to nothing"),
        );
    }
  }

  #waiting(deviceId: string): Asked[] {
    return [...this.#asked.values()].filter((asked) => asked.deviceId === deviceId && asked.state === "asked");
  }

  #find(siteId: number, id: string): Asked {
    const asked = this.#asked.get(id);
    if (asked?.siteId !== siteId) throw new Problem("not_found", "There is no such question, or it ended long ago.");
    return asked;
  }

  #expire(asked: Asked): void {
    if (asked.state === "asked") this.#end(asked, "unanswered", null);
  }

  /** @param by who answered; null: nobody */
  #end(asked: Asked, end: QuestionEnd, by: string | null): void {
    const { database, bus, logger } = this.#base;
    const { tables, feed } = this.#siblings;
    asked.timer?.stop();
    asked.picture = null;
    asked.state = end ?? "opened";
    this.#announce(asked);
    const answeredAt = this.#base.clock.now();
    const write = asked
      .afterStored(() => {
        const read = tables.reads.find(asked.siteId, asked.readId);
        if (read === null) return;
        tables.reads.setNotTold(read.id, end);
        if (by !== null) tables.reads.setAnswer({ id: read.id, answeredAt, answeredBy: this.#nameOf(by) });
        if (end === null || end === "opened_otherwise") this.#cameIn(read, end === null ? by : null);
        for (const id of asked.further) tables.reads.setNotTold(id, end ?? "same_pass");
        if (end !== null && end !== "opened_otherwise") feed.keptShut(read, end, by);
        database.committed(() => bus.announce("gate.question", toFact(asked, this.#base.clock.now())));
      })
      .catch((error: unknown) => logger.warn({ readId: asked.readId, err: error }, "an answer could not be stored"));
    this.#writes.add(write);
  }

  /** The name of who answered: a person, an app, or a device at the gate; null where there is none. */
  #nameOf(actor: string): string | null {
    const [kind = "", id = ""] = actor.split(":");
    const { registry, tables } = this.#siblings;
    if (kind === "device") return registry.find(actor.slice("device:".length))?.name ?? null;
    return tables.openings.nameOf(kind, Number(id));
  }

  /**
   * Inside a job: the visit of who was let in begins with the read, if none goes on. The count of cars opens something
   * only where its letting in was of somebody who may open everything.
   */
  #cameIn({ id, siteId, plate }: ShownRead, by: string | null): void {
    const { clock } = this.#base;
    const { tables, visitMatcher, limits } = this.#siblings;
    tables.reads.setOpensVisit(id);
    const mayOpen = by !== null && !limits.isBound(by, siteId);
    if (plate !== null) visitMatcher.repair(siteId, [plate], clock.now(), () => mayOpen);
  }

  #announce(asked: Asked): void {
    this.#base.bus.announce("gate.question", toFact(asked, this.#base.clock.now()));
  }

  /** What has ended goes first, then the oldest of the household that has most: it stays shut. */
  #makeRoom(): void {
    if (this.#asked.size < MOST) return;
    const ended = [...this.#asked.values()].find(({ state }) => state !== "asked");
    const surplus = ended ?? evictionCandidate(this.#asked.values(), ({ deviceId }) => deviceId);
    if (surplus === undefined) return;
    this.#expire(surplus);
    this.#asked.delete(surplus.id);
  }
}

function refuseUnlessAsked({ state }: Asked): void {
  if (state !== "asked") throw new Problem("conflict", { code: `conflict.question.${state}` });
}

function toView(asked: Asked): QuestionView {
  const { id, deviceId, gateId, readId, plate, formatted, label, kind, askedFor, odd, meant, state } = asked;
  const { askedAt, expiresAt } = asked;
  const question = { id, deviceId, gateId, readId, plate, formatted, label, kind, askedFor, odd, meant };
  return { ...question, state, askedAt, expiresAt };
}

function toFact({ siteId, id, readId, deviceId, state }: Asked, at: number): Facts["gate.question"] {
  return { siteId, questionId: id, readId, deviceId, state, at };
}
