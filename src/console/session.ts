import { computed, signal } from "@preact/signals";
import type { AnswerTo } from "../contract/operations.js";
import { get, signedOut } from "./api.js";

/** Where the visitor stands: unknown until asked; `unclaimed`: nobody owns the hub yet. */
export type AuthStatus = "unknown" | "unclaimed" | "signed-out" | "signed-in" | "unreachable";

/** The signed-in person. */
export type Account = NonNullable<AnswerTo<"GET", "/api/standing">["account"]>;

export const authStatus = signal<AuthStatus>("unknown");
/** Whether somebody can sign in with a passkey on this page. */
export const passkeysHere = signal(false);
export const account = signal<Account | null>(null);

/**
 * Whether the signed-in person may change the house; the hub checks it, the pages only leave out what would be refused.
 */
export const isOwner = computed(() => account.value?.role === "owner");

/** Asks the hub who is here and sets {@link authStatus}. Nobody being signed in is an answer, not an error. */
export async function whoAmI(): Promise<void> {
  try {
    const { claimed, account: who, passkeys } = await get("/api/standing");
    account.value = who;
    passkeysHere.value = passkeys;
    signedOut.value = false;
    authStatus.value = !claimed ? "unclaimed" : who === null ? "signed-out" : "signed-in";
  } catch {
    authStatus.value = "unreachable";
  }
}
