/** Who caused a change, as it is stored beside it: `kind:id:name`. A plate is stored as its read only. */

/** The kinds of senders. */
export const SENDER_KINDS = ["person", "key", "automation", "scene", "plate", "home", "device", "hub"] as const;

/** A kind of sender. */
type SenderKind = (typeof SENDER_KINDS)[number];

/** Who caused a change. */
export interface Sender {
  readonly kind: SenderKind;
  /** Null if it is not known any more, or never had one. */
  readonly name: string | null;
  /** The read of the plate that a gate opened for. */
  readonly readId: number | null;
}

const KINDS: Readonly<Record<string, SenderKind>> = {
  session: "person",
  api_key: "key",
  automation: "automation",
  scene: "scene",
  gate: "plate",
  matter: "home",
  home_assistant: "home",
  device: "device",
};

/** The stored form of a command's actor (`session:3`) and its name. */
export function senderOf(actor: string, name: string | null): string {
  const [prefix = "", id = ""] = actor.split(":");
  const kind = KINDS[prefix] ?? "hub";
  return `${kind}:${kind === "plate" ? id : ""}:${name ?? ""}`;
}

/** What {@link senderOf} stored. */
export function senderFrom(stored: string | null): Sender | null {
  if (stored === null) return null;
  const [word = "", id = "", ...name] = stored.split(":");
  const kind = SENDER_KINDS.find((one) => one === word) ?? "hub";
  return { kind, name: name.join(":") || null, readId: /^\d+$/.test(id) ? Number(id) : null };
}
