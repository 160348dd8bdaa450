import type { Json } from "../../../core/api/route.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { getWear, type Wear } from "../api/console-wear.ts";

/** The writes to the card. */
export function wearRoutes(wear: () => Json<Wear>): BoundRoute[] {
  return [bind(getWear, () => ({ status: 200, body: { wear: wear() } }))];
}
