/** How a gate, a lock or a shutter stands or moves, by whatever key it says so. */
import t from "tap";
import { movementOf } from "../../src/core/plates/opening.ts";

t.test("each way of saying it", async (t) => {
  for (const [state, word] of [
    [{ open: true }, "open"],
    [{ open: false }, "closed"],
    [{ state: "Opened" }, "open"],
    [{ state: "closing" }, "closing"],
    [{ position: 0 }, "closed"],
    [{ position: 40 }, "open"],
    [{ position: 40, moving: "closing" }, "closing"],
    [{ position: "stopped" }, "stopped"],
    [{ contact: true }, "closed"],
    [{ locked: true }, "locked"],
    [{ locked: false }, "unlocked"],
    [{ power: true, state: "on" }, null],
    [{}, null],
  ] as const)
    t.equal(movementOf(state), word, JSON.stringify(state));
});
