/** What people who create and edit a device may enter, and the checks of it. */
import { plainText } from "../../core/kernel/plain-text.ts";
import { bodyRefused, type Problem } from "../../core/kernel/problem.ts";
import { detailEnglish } from "../../core/text/english.ts";
import type { Detail } from "../../core/text/keys.ts";
import { roomName } from "./rooms.ts";

/** A device to be made. */
export interface NewDevice {
  /** `[A-Za-z0-9_-]{1,64}`; made from the type when absent. */
  readonly id?: string;
  readonly name: string;
  readonly type: string;
  readonly room?: string | null;
  readonly icon?: string | null;
  readonly favorite?: boolean;
  /** Chosen by an installer (6 to 128 visible characters); random if absent, none if null. */
  readonly password?: string | null;
  readonly simulated?: boolean;
}

/** The editable members of a device. `room` "" or null takes it out of its room. */
export interface DeviceEdit {
  readonly name?: string;
  readonly type?: string;
  readonly room?: string | null;
  readonly icon?: string | null;
  readonly favorite?: boolean;
}

/** Longest device name in code points (docs/spec/device-control-api.md §8). */
const MAX_DEVICE_NAME = 120;
const DEVICE_ID = /^[A-Za-z0-9_-]{1,64}$/;
const DEVICE_TYPE = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/;
const GIVEN_PASSWORD = /^[\x21-\x7e]{6,128}$/;

/** @throws Problem `invalid_body` */
export function checkNew(input: NewDevice & { readonly id: string }): void {
  if (!DEVICE_ID.test(input.id)) throw invalid("/id", { code: "refusal.device.id" });
  deviceTypeName(input.type);
  if (input.password !== undefined && input.password !== null) checkPassword(input.password);
}

/** @throws Problem `invalid_body` */
export function checkPassword(password: string): void {
  if (!GIVEN_PASSWORD.test(password)) throw invalid("/password", { code: "refusal.device.password" });
}

/** A trimmed name. @throws Problem `invalid_body` */
export function deviceName(name: string): string {
  return plainText(name, { field: "/name", min: 1, max: MAX_DEVICE_NAME });
}

/** @throws Problem `invalid_body` */
export function deviceTypeName(type: string): string {
  if (!DEVICE_TYPE.test(type)) throw invalid("/type", { code: "refusal.device.type" });
  return type;
}

/** The trimmed room name, or null for none. */
export const wantedRoom = (room: string | null): string | null =>
  room === null || room.trim() === "" ? null : roomName(room);

function invalid(field: string, words: Detail): Problem {
  return bodyRefused(field, "bad_format", words, `${field}: ${detailEnglish(words)}.`);
}
