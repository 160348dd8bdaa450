/**
 * What was recently deleted in this window and can be restored, even after its toast has gone and after a reload. The
 * browser keeps it for the signed-in person, until the window is closed or they sign out.
 */
import { computed, effect, signal } from "@preact/signals";
import { account, authStatus } from "../session.ts";

/** Something that was deleted: its name, and the body that creates it again. */
export interface Deleted {
  readonly kind: "automation" | "scene";
  readonly name: string;
  readonly body: object;
  /** Who deleted it. */
  readonly by: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

const KEY = "gatehouse.deleted";
const MOST = 20;

const kept = signal<readonly Deleted[]>(read());

/** What the signed-in person has deleted here, newest first. */
export const deleted = computed(() => kept.value.filter(({ by }) => by === account.value?.id));

effect(() => {
  if (authStatus.value === "signed-out") put([]);
});

/** Keeps something that was just deleted. */
export function keepDeleted(kind: Deleted["kind"], name: string, body: object): Deleted {
  const one = { kind, name, body, by: account.value?.id ?? 0, at: Date.now() };
  put([one, ...kept.value].slice(0, MOST));
  return one;
}

/** Forgets something that was restored. */
export function forgetDeleted(one: Deleted): void {
  put(kept.value.filter(({ kind, at, name }) => kind !== one.kind || at !== one.at || name !== one.name));
}

function put(next: readonly Deleted[]): void {
  kept.value = next;
  try {
    sessionStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // in a window without storage it is forgotten at the next reload
  }
}

function read(): readonly Deleted[] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(found) ? (found as Deleted[]) : []; // written above
  } catch {
    return [];
  }
}
