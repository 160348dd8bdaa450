import type { Base } from "../../core/base.ts";
import { type Feature, job, type PlacedService } from "../../core/feature.ts";
import { HOUR_MS } from "../../core/kernel/clock.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import { stateRoutes } from "./routes/console-states.ts";
import { senderOf } from "./rules/sender.ts";
import { StateHistory } from "./state-history.ts";

/** When states of devices changed, and by whom. */
export class StatesFeature implements Feature {
  readonly history: StateHistory;
  readonly services: readonly PlacedService[];
  readonly #base: Base;
  readonly #access: AccessFeature;
  readonly #devices: DevicesFeature;
  #plateOf: StatesFeature["plateOf"] = () => null;

  constructor(base: Base, { access, devices }: { readonly access: AccessFeature; readonly devices: DevicesFeature }) {
    const { bus, logger } = base;
    const { registry, commands } = devices;
    const history = new StateHistory(base, registry);
    this.#base = base;
    this.#access = access;
    this.#devices = devices;
    this.history = history;
    this.services = [{ service: history, start: "load", stop: "drain" }];
    devices.state.onChanged((device, at, actor) =>
      history.note(device, at, actor === null ? null : senderOf(actor, commands.nameOf(actor))),
    );
    bus.on("device.presence", "states", ({ deviceId, online, at, announced }) => {
      const device = registry.find(deviceId);
      // an absence counts once it is announced; a return does at once
      if ((announced || online) && device !== null) history.note(device, at, null);
    });
    const forget = (deviceId: string): Promise<void> => history.removeDevice(deviceId);
    devices.forgottenBy(forget);
    bus.on("device.edited", "states of removed devices", ({ deviceId, what }) => {
      if (what === "removed")
        forget(deviceId).catch((error: unknown) =>
          logger.error({ deviceId, err: error }, "the removed device's states stay for now"),
        );
    });
  }

  /** Names the vehicle of a read that a gate opened for: the read may be deleted, and its name with it. */
  platesNamedBy(plateOf: StatesFeature["plateOf"]): void {
    this.#plateOf = plateOf;
  }

  /** Whose vehicle a read is about: the name of its rule, or else its plate; null for a read that is gone. */
  plateOf(siteId: number, readId: number): string | null {
    return this.#plateOf(siteId, readId);
  }

  get console() {
    const { registry } = this.#devices;
    return stateRoutes({
      ...{ history: this.history, registry, accounts: this.#access.accounts, clock: this.#base.clock },
      plates: this,
    });
  }

  get jobs() {
    return [job("trim-states", HOUR_MS, () => this.history.sweep())];
  }

  get aged() {
    return [this.history.aged];
  }
}
