import t from "tap";
import { mentionsPlate, platesIn } from "../../src/core/plates/mention.ts";

t.test("plates are found however they are written", async (t) => {
  for (const text of [
    "MH12AB1234",
    "mh 12 ab 1234 is here",
    "Open for MH-12-AB-1234!",
    "(22BH1234AA)",
    "22 bh 1234 aa",
    "DL8CAF5031 allowed",
    "DL 8 CAF 5031",
  ])
    t.ok(mentionsPlate(text), text);
});

t.test("other texts are not taken for one", async (t) => {
  for (const text of [
    "",
    "Kitchen plug is online",
    "Shelly Plus 1 1.4.2-gcb84623 → 1.5.0",
    "plug-7F3A22 is offline",
    "3 commands sent, 1 skipped",
    "2026-03-01 12:30",
    "gate-1",
    "esp32-c4dd5701",
    "x".repeat(100_000),
  ])
    t.notOk(mentionsPlate(text), text.slice(0, 40));
});

t.test("what may be a plate of any country is listed as reads carry plates, in bounded time and number", async (t) => {
  t.ok(platesIn("Open for MH-12-AB-1234!").includes("MH12AB1234"));
  t.ok(platesIn("Besuch: M-AB 123").includes("MAB123"));
  t.strictSame(platesIn("Car 7"), ["CAR7"]);
  t.strictSame(platesIn("Nobody came"), []);
  t.ok(platesIn(Array.from({ length: 2_000 }, (_, n) => `AB${n}`).join(" ")).length <= 200);
});
