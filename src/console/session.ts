import { computed, signal } from "@preact/signals";
import { isAtLeast, type Role } from "../core/api/roles.ts";
import { get, isWaiting, proofQuestion, signedOut } from "./api.ts";
import type { AnswerTo } from "./operations.ts";
import { forgetUnsaved, hasUnsaved } from "./router.ts";

/**
 * The visitor's status: unknown until asked; `unclaimed`: nobody owns the hub yet; `ended`: the person's session has
 * ended, and the page waits for them with what they were typing.
 */
export type AuthStatus = "unknown" | "unclaimed" | "signed-out" | "signed-in" | "ended" | "unreachable";

/** The signed-in person. */
export type Account = NonNullable<Standing["account"]>;
type Standing = AnswerTo<"GET", "/api/standing">;

export const authStatus = signal<AuthStatus>("unknown");
/** Whether somebody can sign in with a passkey on this page. */
export const passkeysHere = signal(false);
export const account = signal<Account | null>(null);
/** What the signed-in person may open, and when; null: everything, at any time. */
export const opening = signal<Standing["opening"]>(null);
let openingChanges: ReturnType<typeof setTimeout> | undefined;
/** How far the household's facts had come when the hub said who is here: before any list was requested. */
export const factsBefore = signal<string | null>(null);
/** Increases when the pages have to start over. */
export const visit = signal(0);

/** Whether the signed-in person has a role or a higher one; the hub checks it, the pages only hide what would be refused. */
export function mayAs(least: Role): boolean {
  return account.value !== null && isAtLeast(account.value.role, least);
}

/** Whether the signed-in person may change the house. */
export const isOwner = computed(() => mayAs("owner"));
/** Whether the signed-in person keeps the gate: plate rules, reads, guests' passes. */
export const keepsGate = computed(() => mayAs("gatekeeper"));

/** Requests the signed-in person and sets {@link authStatus}. That nobody is signed in is not an error. */
export async function whoAmI(): Promise<void> {
  try {
    const standing = await get("/api/standing");
    const { claimed, account: who, facts, passkeys } = standing;
    passkeysHere.value = passkeys;
    if (authStatus.value === "ended" && claimed && who === null) return; // still nobody: the page keeps waiting
    const before = shownTo;
    shownTo = who?.id ?? before;
    if (who !== null && before !== null && who.id !== before) return beginAnew();
    if (authStatus.value === "ended" && !hasUnsaved()) visit.value++;
    factsBefore.value = facts;
    account.value = who;
    noteOpening(standing.opening);
    signedOut.value = false;
    isWaiting.value = false;
    authStatus.value = !claimed ? "unclaimed" : who === null ? "signed-out" : "signed-in";
  } catch {
    if (authStatus.value !== "ended") authStatus.value = "unreachable";
  }
}

/** The person whose pages this document has shown; null: none yet. */
let shownTo: number | null = null;

/**
 * Checks whether this page's person is still the one who is signed in; if it is somebody else, the page starts over for
 * them. `unknown`: the hub did not answer.
 */
export async function lookWhoIsHere(): Promise<"somebody" | "nobody" | "unknown"> {
  const standing = await get("/api/standing").catch(() => null);
  if (standing === null) return "unknown";
  if (standing.account === null) {
    signedOut.value = true;
    return "nobody";
  }
  if (standing.account.id !== shownTo) beginAnew();
  noteOpening(standing.opening);
  return "somebody";
}

/** Takes over what the person may open, and asks again when that changes by itself. */
function noteOpening(now: Standing["opening"]): void {
  clearTimeout(openingChanges);
  if (JSON.stringify(now) !== JSON.stringify(opening.value)) opening.value = now;
  if (now === null || now.changesInMs === null) return;
  openingChanges = setTimeout(() => void lookWhoIsHere(), Math.max(now.changesInMs, SOONEST_MS));
}

/** A hub that says "now" twice is not asked without end. */
const SOONEST_MS = 1_000;

/** Another person has signed in: discards all data and input of the page. */
function beginAnew(): void {
  authStatus.value = "signed-out";
  forgetUnsaved();
  location.replace("/");
}

/** Fields whose contents are never kept. */
const SECRET_FIELDS = "input[autocomplete=one-time-code], input[data-secret]";

/**
 * The session has ended while somebody was here. What they typed waits in the page, which is covered until they are
 * back; passwords and codes do not.
 */
export function sessionEnded(): void {
  isWaiting.value = true;
  proofQuestion.value?.answer(false);
  for (const field of document.querySelectorAll<HTMLInputElement>(SECRET_FIELDS)) {
    field.value = "";
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  authStatus.value = "ended";
}
