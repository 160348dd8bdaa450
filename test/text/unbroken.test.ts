/** Number plates in sentences, and numbers with their units, stay on one line. */
import t from "tap";
import { unbroken } from "../../src/console/i18n/unbroken.ts";
import { english } from "../../src/core/text/english.ts";
import { withWords } from "../support/console-words.ts";

/** With the spaces at which no line ends in sight. */
const seen = (text: string): string => text.replaceAll("\u00a0", "~");

t.test("plates do not break, other words do", async (t) => {
  for (const [text, shown] of [
    ["UP 32 JE 3626", "UP~32~JE~3626"],
    ["for UP 32 JE 3626 and 24 BH 1234 AA.", "for UP~32~JE~3626 and 24~BH~1234~AA."],
    ["DL 3 CAB 0001", "DL~3~CAB~0001"],
    ["Asha's car", "Asha's car"],
    ["Flat 12, block 4", "Flat 12, block 4"],
  ] as const)
    t.equal(seen(unbroken(text)), shown);
});

t.test("a unit stays with its number, a word that only begins like one does not", async (t) => {
  for (const [text, shown] of [
    ["300 MB have to be freed", "300~MB have to be freed"],
    ["not for 5 s: 80 %, 21.5 °C.", "not for 5~s: 80~%, 21.5~°C."],
    ["{n} MB and 12 Minutes", "{n} MB and 12 Minutes"],
    ["डिस्क 40 सेकंड से, 5 मिनट; 300 MB", "डिस्क 40~सेकंड से, 5~मिनट; 300~MB"],
    ["Lamp 2 spare, 3 hours", "Lamp 2 spare, 3 hours"],
  ] as const)
    t.equal(seen(unbroken(text)), shown);
});

t.test("what the hub says is shown so, in the console's words and in its own, and is sent as it was", async (t) => {
  const [{ recordedText, keyedText, problemText }, { ApiError }] = await withWords<{
    recordedText(prefix: string, words: unknown, otherwise: string): string;
    keyedText(key: string, otherwise: string): string;
    problemText(error: unknown): string;
    ApiError: new (status: number, body: object) => Error;
  }>("en", [
    new URL("../../src/console/i18n/hub-texts.ts", import.meta.url),
    new URL("../../src/console/api.ts", import.meta.url),
  ]);
  t.equal(seen(recordedText("detail", null, "300 MB are missing")), "300~MB are missing");
  t.equal(seen(recordedText("detail", { code: "ofAnotherVersion" }, "after 5 s")), "after 5~s");
  t.equal(seen(keyedText("tap.wait", "")), "Wait 5~min");
  const refusal = { code: "conflict", message: "UP 32 JE 3626 waits 5 s" };
  t.equal(seen(problemText(new ApiError(409, refusal))), "UP~32~JE~3626 waits 5~s");
  t.match(english("detail.backup.noRoom", { folder: "/b", megabytes: 300 }), /: 300 MB are/);
});
