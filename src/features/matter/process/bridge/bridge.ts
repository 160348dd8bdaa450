import { createHash } from "node:crypto";
import { Crypto, Endpoint, Logger, ServerNode, VendorId } from "@matter/main";
import { AggregatorEndpoint } from "@matter/main/endpoints/aggregator";
import { DeviceCommissioner, FabricManager, PaseClient, SessionManager } from "@matter/main/protocol";
import { FabricIndex } from "@matter/main/types";
import { Problem } from "../../../../core/kernel/problem.ts";
import type { BridgedEndpoint, BridgeSituation, EndpointAction, EndpointValues } from "../../bridge/calls.ts";
import type { PartContext, ProcessPart } from "../part.ts";
import { statesOf } from "./attributes.ts";
import { described, makeEndpoint } from "./endpoints.ts";
import { limitHandshakes, limitSessions } from "./limits.ts";
import { HubOrders } from "./orders.ts";

/**
 * A test vendor id of the Connectivity Standards Alliance: the product is not certified, and apps warn about it when it
 * joins.
 */
const VENDOR_ID = 0xfff1;
const PRODUCT_ID = 0x8001;
/** How long a scene shows that it ran. */
const MOMENT_MS = 1_000;

interface Held {
  spec: BridgedEndpoint;
  readonly endpoint: Endpoint;
}

const logger = Logger.get("Bridge");

/**
 * The bridge: one node whose aggregator holds an endpoint for each device that is shown. It opens with the hub's first
 * list.
 */
export function bridgePart(context: PartContext): ProcessPart {
  const { link } = context;
  const bridge = new Bridge(context);
  return {
    name: "bridge",
    async start() {
      link.serve({
        "bridge.put": ({ endpoints, only }) => bridge.put(endpoints, only),
        "bridge.remove": async ({ numbers }) => {
          await bridge.remove(numbers);
          return null;
        },
        "bridge.values": async ({ changes }) => {
          for (const change of changes) await bridge.show(change.number, change.values, change.reachable);
          return null;
        },
        "bridge.window": ({ minutes }) => bridge.window(minutes),
        "bridge.situation": () => bridge.situation(),
        "bridge.removeFabric": ({ index }) => bridge.removeFabric(index),
      });
    },
    stop: () => bridge.close(),
  };
}

class Bridge {
  readonly #context: PartContext;
  readonly #held = new Map<number, Held>();
  #node: ServerNode | null = null;
  #aggregator: Endpoint | null = null;
  #window: { readonly until: number; readonly timer: NodeJS.Timeout } | null = null;
  /** Changes of the endpoints run one after another. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(context: PartContext) {
    this.#context = context;
    context.environment.set(HubOrders, new HubOrders(context.link, this));
  }

  /** Adds endpoints, and updates known ones; `only`: removes all others. */
  put(endpoints: readonly BridgedEndpoint[], only: boolean): Promise<BridgeSituation> {
    return this.#inTurn(async () => {
      const isFirst = this.#node === null;
      if (this.#node === null) await this.#open();
      if (only)
        await this.#drop([...this.#held.keys()].filter((number) => !endpoints.some((spec) => spec.number === number)));
      for (const spec of endpoints)
        await this.#put(spec).catch((error: unknown) => logger.error(`endpoint ${spec.number} (${spec.kind})`, error));
      if (isFirst) await this.#start();
      return this.situation();
    });
  }

  remove(numbers: readonly number[]): Promise<void> {
    return this.#inTurn(() => this.#drop(numbers));
  }

  /** Shows what the hub reports about an endpoint. */
  async show(number: number, values: EndpointValues, reachable: boolean): Promise<void> {
    const held = this.#held.get(number);
    if (held === undefined) return;
    held.spec = { ...held.spec, reachable, values: { ...held.spec.values, ...values } };
    const states = statesOf(held.spec, values);
    try {
      await set(held.endpoint, { ...states, bridgedDeviceBasicInformation: { reachable } });
    } catch (error) {
      logger.warn(`values of endpoint ${number} (${held.spec.kind})`, error);
    }
  }

  /** Opens joining for this many minutes, with a code that was never used before; 0 closes it. */
  window(minutes: number): Promise<BridgeSituation> {
    // Not while the node is still opening: the hub learns a moment earlier that it runs.
    return this.#inTurn(() => this.#openWindow(minutes));
  }

  async #openWindow(minutes: number): Promise<BridgeSituation> {
    const node = this.#opened();
    await node.construction.ready; // it starts over when the last home has left
    const commissioner = node.env.get(DeviceCommissioner);
    await commissioner.endCommissioning();
    this.#closeWindow();
    if (minutes > 0) {
      const crypto = node.env.get(Crypto);
      await node.set({
        commissioning: {
          passcode: PaseClient.generateRandomPasscode(crypto),
          discriminator: PaseClient.generateRandomDiscriminator(crypto),
        },
      });
      await commissioner.allowBasicCommissioning(() => {
        this.#closeWindow();
        this.#tell();
      });
      const ms = minutes * 60_000;
      const timer = setTimeout(
        () =>
          void commissioner
            .endCommissioning()
            .catch((error: unknown) => logger.warn("the window did not close", error)),
        ms,
      );
      timer.unref();
      this.#window = { until: Date.now() + ms, timer };
    }
    return this.situation();
  }

  situation(): BridgeSituation {
    const node = this.#node;
    if (node === null) return { port: null, fabrics: [], window: null, endpoints: 0 };
    const { qrPairingCode, manualPairingCode } = node.state.commissioning.pairingCodes;
    return {
      port: node.state.network.operationalPort > 0 ? node.state.network.operationalPort : null,
      fabrics: node.env.get(FabricManager).fabrics.map((fabric) => ({
        index: fabric.fabricIndex,
        fabric: `${createHash("sha256").update(fabric.rootPublicKey).digest("hex").slice(0, 32)}-${fabric.fabricId.toString(16)}`,
        vendorId: fabric.rootVendorId,
        label: fabric.label.slice(0, 128),
      })),
      window: this.#window === null ? null : { until: this.#window.until, qr: qrPairingCode, code: manualPairingCode },
      endpoints: this.#held.size,
    };
  }

  /** Makes a home leave; it is notified if it can be reached. */
  removeFabric(index: number): Promise<BridgeSituation> {
    return this.#inTurn(async () => {
      const fabric = this.#opened().env.get(FabricManager).maybeFor(FabricIndex(index));
      if (fabric === undefined) throw new Problem("not_found", "No such home has joined.");
      await fabric.leave();
      return this.situation();
    });
  }

  async close(): Promise<void> {
    this.#closeWindow();
    await this.#turn.catch(() => {});
    await this.#node?.close();
    this.#node = null;
  }

  async #open(): Promise<void> {
    const { environment, about } = this.#context;
    const node = await ServerNode.create({
      id: "bridge",
      environment,
      network: { port: about.port },
      // Joining is closed until an owner opens the window.
      commissioning: { enabled: false },
      productDescription: { name: "Gatehouse", deviceType: AggregatorEndpoint.deviceType },
      basicInformation: {
        vendorName: "Gatehouse",
        vendorId: VendorId(VENDOR_ID),
        nodeLabel: "Gatehouse",
        productName: "Gatehouse",
        productLabel: "Home hub",
        productId: PRODUCT_ID,
        serialNumber: about.serial,
        hardwareVersion: 1,
        hardwareVersionString: "1",
        softwareVersion: 1,
        softwareVersionString: about.version.slice(0, 64),
      },
    });
    this.#aggregator = new Endpoint(AggregatorEndpoint, { id: "aggregator", number: 1 });
    await node.add(this.#aggregator);
    node.events.commissioning.fabricsChanged.on(() => this.#tell());
    const sessions = node.env.get(SessionManager);
    limitSessions(sessions);
    limitHandshakes(sessions);
    this.#node = node;
  }

  /** @throws Error if it cannot, for example because a port is taken; the next list tries again */
  async #start(): Promise<void> {
    try {
      await this.#node?.start();
    } catch (error) {
      this.#held.clear();
      const node = this.#node;
      this.#node = null;
      await node?.close();
      throw error;
    }
  }

  async #put(spec: BridgedEndpoint): Promise<void> {
    const held = this.#held.get(spec.number);
    if (held !== undefined && sameDevice(held.spec, spec)) {
      held.spec = spec;
      await set(held.endpoint, { ...described(spec), ...statesOf(spec, spec.values) });
      return;
    }
    if (held !== undefined) await this.#drop([spec.number]);
    const endpoint = makeEndpoint(spec);
    await this.#aggregator?.add(endpoint);
    this.#held.set(spec.number, { spec, endpoint });
  }

  async #drop(numbers: readonly number[]): Promise<void> {
    for (const number of numbers) {
      const held = this.#held.get(number);
      this.#held.delete(number);
      await held?.endpoint.delete();
    }
  }

  /** Shows for a moment that a scene ran. */
  done(number: number, action: EndpointAction): void {
    if (this.#held.get(number)?.spec.features.momentary !== true || !("on" in action) || !action.on) return;
    void this.show(number, { on: true }, true);
    setTimeout(() => void this.show(number, { on: false }, true), MOMENT_MS).unref();
  }

  /** Shows an endpoint as the hub last reported it. */
  refused(number: number): Promise<void> {
    const held = this.#held.get(number);
    return held === undefined ? Promise.resolve() : this.show(number, held.spec.values, held.spec.reachable);
  }

  #opened(): ServerNode {
    if (this.#node === null) throw new Problem("matter_unavailable", "The bridge is not open yet.");
    return this.#node;
  }

  #closeWindow(): void {
    clearTimeout(this.#window?.timer);
    this.#window = null;
  }

  /** Reports to the hub who has joined now. */
  #tell(): void {
    this.#context.link.call("bridge.changed", this.situation()).catch(() => {}); // it asks on reconnecting
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn;
    return turn;
  }
}

/** Whether an endpoint can stay and only change its description. */
function sameDevice(before: BridgedEndpoint, after: BridgedEndpoint): boolean {
  return before.kind === after.kind && JSON.stringify(before.features) === JSON.stringify(after.features);
}

/**
 * Sets attributes of several clusters at once. The library types each endpoint by its clusters; here there are many.
 */
function set(endpoint: Endpoint, states: Readonly<Record<string, Readonly<Record<string, unknown>>>>): Promise<void> {
  return endpoint.set(states as Parameters<Endpoint["set"]>[0]);
}
