/** What people type when they look for a part of a rule finds it, whatever it is called. */
import t from "tap";
import {
  type Findable,
  found,
  wordsOfField,
  wordsOfKind,
  wordsOfPart,
} from "../../src/features/automations/console/search-words.ts";

const OPTIONS: readonly Findable[] = [
  { text: "a car is allowed", group: "At the gate", words: wordsOfPart("plate") },
  { text: "no car is inside", group: "At the gate", words: wordsOfPart("occupancy") },
  { text: "at sunset every day", group: "By time", words: wordsOfPart("sun") },
  { text: "at a time of day", group: "By time", words: wordsOfPart("time") },
  { text: "Tell us …", group: "A message", words: wordsOfPart("notify") },
  { text: "Garden sensor sees movement", group: "Garden", words: wordsOfField("motion") },
  { text: "any device reports water", words: wordsOfField("water_leak") },
  { text: "Driveway gate is closed", words: wordsOfField("gate"), isFurther: true },
  {
    text: "the temperature of Climate is more than 28 °C",
    words: `${wordsOfField("temperature")} ${wordsOfKind("thermostat")}`,
  },
  { text: "the power of Climate is more than 10 W", words: wordsOfField("watts"), isFurther: true },
  { text: "turn Office light off", words: wordsOfField("power2") },
  { text: "set Office light to 50 %", words: wordsOfField("brightness"), isFurther: true },
];
const textsFor = (typed: string): readonly string[] => found(OPTIONS, typed).map(({ text }) => text);

t.test("a synonym in either language finds it", async (t) => {
  for (const [typed, text] of [
    ["leak", "any device reports water"],
    ["रिसाव", "any device reports water"],
    ["motion", "Garden sensor sees movement"],
    ["Temperature", "the temperature of Climate is more than 28 °C"],
    ["तापमान", "the temperature of Climate is more than 28 °C"],
    ["thermostat", "the temperature of Climate is more than 28 °C"],
    ["heat", "the temperature of Climate is more than 28 °C"],
    ["closed", "Driveway gate is closed"],
    ["dark", "at sunset every day"],
    ["weekday", "at a time of day"],
    ["family", "no car is inside"],
    ["home", "no car is inside"],
    ["notify", "Tell us …"],
    ["alarm", "Tell us …"],
    ["brightness", "set Office light to 50 %"],
    ["climate power", "the power of Climate is more than 10 W"],
  ] as const)
    t.ok(textsFor(typed).includes(text), `${typed}: ${textsFor(typed).join(", ")}`);
});

t.test("what shows the word stands before what only means it", async (t) => {
  t.same(textsFor("off").slice(0, 1), ["turn Office light off"]);
  t.same(textsFor("light").slice(0, 2), ["turn Office light off", "set Office light to 50 %"]);
});

t.test("part of a word is enough where nothing begins with it", async (t) => {
  t.same(textsFor("ffice"), ["turn Office light off", "set Office light to 50 %"]);
  t.same(textsFor("nowhere"), []);
});

t.test("without a search there is only what is likely", async (t) => {
  t.equal(textsFor("  ").length, OPTIONS.filter(({ isFurther }) => isFurther !== true).length);
});
