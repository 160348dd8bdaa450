import type { AnswerTo } from "../../../console/operations.ts";

/** The estate as the hub reports it. */
export type Estate = NonNullable<AnswerTo<"GET", "/api/estate">["estate"]>;

/** One hub of it. */
export type EstateHub = Estate["hubs"][number];

/** A read of any gate. */
export type EstateRead = AnswerTo<"GET", "/api/estate/reads">["reads"][number];

/** A larger clock offset is mentioned. */
const CLOCK_MS = 1_000;

/** Problems that need attention, the worst first. */
export function troublesOf(hub: EstateHub): ("offline" | "clock" | "behind" | "waiting")[] {
  return [
    ...(hub.state === "offline" ? ["offline" as const] : []),
    ...(hub.clockOffMs !== null && Math.abs(hub.clockOffMs) > CLOCK_MS ? ["clock" as const] : []),
    ...(hub.behind !== null && hub.behind > 0 ? ["behind" as const] : []),
    ...(hub.waiting !== null && hub.waiting > 0 ? ["waiting" as const] : []),
  ];
}

/** Hubs that match what is typed; this hub first, then those in trouble, then by name in natural order. */
export function sortedHubs(hubs: readonly EstateHub[], text: string): EstateHub[] {
  const wanted = text.trim().toLocaleLowerCase();
  const rank = (hub: EstateHub): number =>
    hub.self ? 0 : hub.state === "offline" ? 1 : troublesOf(hub).length > 0 ? 2 : 3;
  return hubs
    .filter((hub) =>
      [hub.name, hub.hub, hub.part, ...hub.gates.map((gate) => gate.name)].some((one) =>
        one.toLocaleLowerCase().includes(wanted),
      ),
    )
    .sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name, undefined, { numeric: true }));
}
