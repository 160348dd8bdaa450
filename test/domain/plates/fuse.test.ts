import t from "tap";
import { CLASS_COUNT, classOf } from "../../../src/domain/plates/alphabet.js";
import { analyseRead, freeText } from "../../../src/domain/plates/analyse.js";
import { fuseSlots, legibility } from "../../../src/domain/plates/fuse.js";

/** One slot per character, each as certain as said. */
function view(text: string, certainty = 0.9): Float32Array {
  const slots = new Float32Array(text.length * CLASS_COUNT).fill((1 - certainty) / (CLASS_COUNT - 1));
  for (let slot = 0; slot < text.length; slot++) slots[slot * CLASS_COUNT + classOf(text[slot] ?? "")] = certainty;
  return slots;
}

t.test("one view stays as it is; none gives nothing", async (t) => {
  const only = view("MH12AB1234");
  t.equal(fuseSlots([only], 1), only);
  t.equal(fuseSlots([], 1).length, 0);
  t.equal(fuseSlots([new Float32Array()], 1).length, 0);
});

t.test("views of unlike length are laid over each other", async (t) => {
  const cut = fuseSlots([view("MH12AB1234"), view("MH12AB123"), view("MH12AB1234")], 1);
  t.equal(freeText(cut), "MH12AB1234", "a cut-off character is lacking in one view only");
  const stuttered = fuseSlots([view("MH12AB1234", 0.95), view("MH12AAB1234", 0.6)], 1);
  t.equal(freeText(stuttered), "MH12AB1234", "a character said twice is not believed against a clear view");
});

t.test("two weak views outvote a third that is as weak", async (t) => {
  t.equal(freeText(fuseSlots([view("MH12AB1284", 0.7), view("MH12AB1234", 0.7), view("MH12AB1234", 0.7)], 1)), "MH12AB1234");
});

t.test("a view of something else does not dilute the others", async (t) => {
  const fused = fuseSlots([view("MH12AB1234"), view("MH12AB1234"), view("EXIT", 0.9)], 1);
  t.equal(freeText(fused), "MH12AB1234");
});

t.test("agreement raises the confidence, disagreement lowers it", async (t) => {
  const confidence = (views: readonly Float32Array[], witnesses = 1) => analyseRead(fuseSlots(views, witnesses)).confidence;
  const alone = confidence([view("MH12AB1234")]);
  t.ok(confidence([view("MH12AB1234"), view("MH12AB1284", 0.7)]) < alone);
  t.equal(confidence([view("MH12AB1234"), view("MH12AB1234")]), alone, "the same thing twice is no more certain, seen by one witness");
  t.ok(confidence([view("MH12AB1234"), view("MH12AB1234")], 1.5) > alone);
});

t.test("legibility grows with certainty", async (t) => {
  t.ok(legibility(view("MH12", 0.9)) > legibility(view("MH12", 0.6)));
  t.equal(legibility(new Float32Array()), 0);
});
