import { signal } from "@preact/signals";
import { ApiError, get, signedOut } from "./api.js";

/** Where the visitor stands: unknown until asked; `unclaimed`: nobody owns the hub yet. */
export type Standing = "unknown" | "unclaimed" | "signed-out" | "signed-in" | "unreachable";

export const standing = signal<Standing>("unknown");
export const account = signal<{ id: number; email: string; name: string } | null>(null);

/** Asks the hub who is here and sets {@link standing}. */
export async function whoAmI(): Promise<void> {
  try {
    const claim = await get<{ claimed: boolean }>("/api/claim");
    if (!claim.claimed) {
      standing.value = "unclaimed";
      return;
    }
    const me = await get<{ account: { id: number; email: string; name: string } | null }>("/v1/me");
    account.value = me.account;
    signedOut.value = false;
    standing.value = "signed-in";
  } catch (error) {
    standing.value = error instanceof ApiError && (error.status === 401 || error.status === 403) ? "signed-out" : "unreachable";
  }
}
