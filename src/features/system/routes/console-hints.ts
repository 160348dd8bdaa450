import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { getHints, hideHint } from "../api/console-hints.ts";
import type { Hints } from "../hints.ts";

/** What the console suggests, and putting it away. */
export function hintRoutes(hints: Hints): BoundRoute[] {
  return [
    bind(getHints, ({ caller }) => ({ status: 200, body: { hints: hints.of(caller) } })),
    bind(hideHint, async ({ caller, body }) => {
      await hints.hide(caller.accountId, body.hint);
      return { status: 200, body: { hints: hints.of(caller) } };
    }),
  ];
}
