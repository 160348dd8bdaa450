import type { ItemPicture } from "../../core/api/feed-kinds.ts";
import { storedJson, storedWords } from "../../core/storage/stored-json.ts";
import { momentFor, type Reader, recordedTextFor, textFor } from "../../core/text/for-reader.ts";
import type { WaitingNotification } from "./tables/notification.ts";

/** A message as every channel sends it, in its reader's language. */
export interface Message {
  readonly title: string;
  /** May be empty. */
  readonly body: string;
  readonly urgent: boolean;
  /** When it happened, epoch ms, and in the reader's form. */
  readonly at: number;
  readonly moment: string;
  /** After this many seconds the message is useless. */
  readonly ttlSeconds: number;
  /** The console page that shows more. */
  readonly path: string;
  /** A phone shows one message of a tag, the last; null: beside all others. */
  readonly tag: string | null;
  /** Null if there is none. */
  readonly picture: Picture | null;
  /** The question that it asks, with two buttons; null: it only informs. */
  readonly question: Question | null;
  /** Why it is sent, for channels with room for that. */
  readonly footer: string;
}

/** A question about a vehicle that waits at a gate. */
interface Question {
  readonly id: string;
  readonly readId: number;
  /** The labels of the buttons, in the reader's language. */
  readonly open: string;
  readonly keepShut: string;
}

/** The picture of a plate read, or of a camera. */
export interface Picture {
  /** Where a phone that is signed in finds it on the hub. */
  readonly path: string;
  readonly jpeg: Buffer;
}

/** A question that waits for an answer. */
export type AskedAbout = Pick<Question, "id" | "readId">;

/** Most lines of a message that stands for many. */
const MOST_LINES = 6;
const LONGEST_TITLE = 200;
const LONGEST_BODY = 1_000;

/** The message about one item. */
export function messageOf(
  item: WaitingNotification,
  reader: Reader,
  {
    now,
    picture,
    asked,
  }: { readonly now: number; readonly picture: Picture | null; readonly asked?: AskedAbout | null },
): Message {
  return {
    title: titleOf(item, reader),
    body: cut(recordedTextFor(reader, "feed.body", storedWords(item.words), item.body), LONGEST_BODY),
    // that a danger is over is sent at all hours, and makes no phone ring
    urgent: item.urgent === 1 && item.kind !== "device.danger_over",
    at: item.at,
    moment: momentFor(reader, item.at),
    ttlSeconds: secondsLeft(item.expiresAt, now),
    path: pathOf(item),
    tag: tagOf(item),
    picture,
    question: asked
      ? { ...asked, open: textFor(reader, "notify.letIn"), keepShut: textFor(reader, "notify.keepShut") }
      : null,
    footer: textFor(reader, "notify.footer"),
  };
}

/** One message for many items, oldest first; there is at least one. */
export function mergedMessage(items: readonly WaitingNotification[], reader: Reader, now: number): Message {
  const at = Math.max(...items.map((item) => item.at));
  const lines = rarestFirst(items)
    .slice(0, MOST_LINES)
    .map((item) => titleOf(item, reader));
  const more = items.length - lines.length;
  return {
    title: textFor(reader, areBatteries(items) ? "notify.batteries" : "notify.many", { n: items.length }),
    body: cut([...lines, ...(more > 0 ? [textFor(reader, "notify.more", { n: more })] : [])].join("\n"), LONGEST_BODY),
    urgent: items.some(({ urgent }) => urgent === 1),
    at,
    moment: momentFor(reader, at),
    ttlSeconds: secondsLeft(Math.max(...items.map((item) => item.expiresAt)), now),
    path: "/notifications",
    tag: null,
    picture: null,
    question: null,
    footer: textFor(reader, "notify.footer"),
  };
}

/** The message of the test button. */
export function testMessage(reader: Reader, now: number): Message {
  return {
    title: textFor(reader, "notify.test"),
    body: textFor(reader, "notify.testBody"),
    urgent: false,
    at: now,
    moment: momentFor(reader, now),
    ttlSeconds: 300,
    path: "/notifications",
    tag: null,
    picture: null,
    question: null,
    footer: textFor(reader, "notify.footer"),
  };
}

function areBatteries(items: readonly WaitingNotification[]): boolean {
  return items.every(({ kind }) => kind === "device.battery_low");
}

/** Kinds with few items come first: a flood of one kind hides no other. */
function rarestFirst(items: readonly WaitingNotification[]): readonly WaitingNotification[] {
  const counts = new Map<string, number>();
  for (const { kind } of items) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const countOf = ({ kind }: WaitingNotification): number => counts.get(kind) ?? 0;
  return [...items].sort((one, other) => countOf(one) - countOf(other) || one.id - other.id);
}

function titleOf(item: WaitingNotification, reader: Reader): string {
  return cut(recordedTextFor(reader, "feed.title", storedWords(item.words), item.title), LONGEST_TITLE);
}

/** The picture that an item has of its own, of what its recorder chose. */
export function ownPicture({ picture }: Pick<WaitingNotification, "picture">): ItemPicture | null {
  return picture === null ? null : storedJson<ItemPicture | null>(picture, null);
}

/** That a danger is over takes the place of the danger. */
function tagOf({ kind, deviceId }: WaitingNotification): string | null {
  return kind === "device.danger" || kind === "device.danger_over" ? `danger ${deviceId}` : null;
}

function pathOf({ kind, deviceId, picture }: WaitingNotification): string {
  const own = ownPicture({ picture });
  if (own !== null)
    return "readId" in own ? `/gate/reads/${own.readId}` : `/devices/${encodeURIComponent(own.deviceId)}`;
  if (kind === "gate.asked" || kind.startsWith("plate.") || kind.startsWith("occupancy.")) return "/gate";
  if (deviceId !== null) return `/devices/${encodeURIComponent(deviceId)}`;
  return kind.startsWith("system.") ? "/system" : "/notifications";
}

function secondsLeft(expiresAt: number, now: number): number {
  return Math.max(1, Math.round((expiresAt - now) / 1000));
}

/** By code points, so that no letter is cut in two. */
function cut(text: string, length: number): string {
  const letters = [...text];
  return letters.length <= length ? text : `${letters.slice(0, length - 1).join("")}…`;
}
