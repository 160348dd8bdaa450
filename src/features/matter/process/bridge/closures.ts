import { DoorLockBehavior } from "@matter/main/behaviors/door-lock";
import {
  type MovementDirection,
  type MovementType,
  WindowCoveringServer,
} from "@matter/main/behaviors/window-covering";
import type { DoorLock } from "@matter/main/clusters/door-lock";
import { HubOrders } from "./orders.ts";

/** Where Matter counts from open to closed, the hub counts from closed to open. */
export const FULLY_CLOSED = 10_000;

/** A shutter: it moves as ordered, and its position follows when the device reports it. */
export class OrderedCover extends WindowCoveringServer.with("Lift", "PositionAwareLift") {
  static override readonly lockOnInvoke = false;

  override async handleMovement(
    _type: MovementType,
    _reversed: boolean,
    direction: MovementDirection,
    target?: number,
  ): Promise<void> {
    // 0 of the enumeration means open.
    const position = 100 - (target ?? (direction === 0 ? 0 : FULLY_CLOSED)) / 100;
    await this.env.get(HubOrders).act(this.endpoint, this.context, { position: Math.min(100, Math.max(0, position)) });
  }

  override async handleStopMovement(): Promise<void> {
    await this.env.get(HubOrders).act(this.endpoint, this.context, { stop: true });
  }
}

/**
 * A lock, gate or garage door. Its PIN is the household's and checked in the hub. Commands that read or set one are not
 * implemented: a home that has joined could give itself one.
 */
export class OrderedPinLock extends DoorLockBehavior.with("PinCredential", "CredentialOverTheAirAccess") {
  static override readonly lockOnInvoke = false;

  override lockDoor(): Promise<void> {
    return this.env.get(HubOrders).act(this.endpoint, this.context, { locked: true, pin: null });
  }

  override unlockDoor({ pinCode }: DoorLock.UnlockDoorRequest): Promise<void> {
    return this.env.get(HubOrders).act(this.endpoint, this.context, { locked: false, pin: textOf(pinCode) });
  }

  /** A timeout is the device's own matter. */
  override unlockWithTimeout({ pinCode }: DoorLock.UnlockWithTimeoutRequest): Promise<void> {
    return this.env.get(HubOrders).act(this.endpoint, this.context, { locked: false, pin: textOf(pinCode) });
  }
}

/** Like {@link OrderedPinLock}, if the owner chose to ask for no PIN. */
export class OrderedLock extends DoorLockBehavior {
  static override readonly lockOnInvoke = false;

  override lockDoor(): Promise<void> {
    return this.env.get(HubOrders).act(this.endpoint, this.context, { locked: true, pin: null });
  }

  override unlockDoor(): Promise<void> {
    return this.env.get(HubOrders).act(this.endpoint, this.context, { locked: false, pin: null });
  }

  override unlockWithTimeout(): Promise<void> {
    return this.env.get(HubOrders).act(this.endpoint, this.context, { locked: false, pin: null });
  }
}

/** PINs travel as octets of their digits. */
function textOf(pin: DoorLock.UnlockDoorRequest["pinCode"]): string | null {
  return pin === undefined || pin.byteLength === 0 ? null : new TextDecoder().decode(pin).slice(0, 16);
}
