import t from "tap";
import { PlateReadings } from "../../../firmware-bridge/frigate/plate-readings.ts";

const AT = Date.parse("2026-03-01T12:00:00Z");
const reading = (id: string, score: unknown = 0.5, seconds: unknown = null, text: unknown = "MH12AB1234") => ({
  ...{ text, score, id, seconds },
});

t.test("of one vehicle the first reading counts, and then more confident ones", async (t) => {
  const plates = new PlateReadings();
  t.match(plates.read(reading("a"), AT), { text: "MH12AB1234", confidence: 0.5, at: AT, eventId: /^a$/ });
  t.equal(plates.read(reading("a"), AT), null);
  t.equal(plates.read(reading("a", 0.4), AT), null);
  t.match(plates.read(reading("a", 0.6), AT), { confidence: 0.6 });
  t.match(plates.read(reading("b", -1), AT), { confidence: 0 });
  t.match(plates.read(reading("c", 7), AT), { confidence: 1 });
  t.match(plates.read(reading("d", "x"), AT), { confidence: 0.5 });
});

t.test("five hundred vehicles are remembered, those read last", async (t) => {
  const plates = new PlateReadings();
  for (let count = 0; count < 500; count++) plates.read(reading(`${count}`), AT);
  t.match(plates.read(reading("0", 0.6), AT), { confidence: 0.6 }, "read again: the last one now");
  t.equal(plates.read(reading("1"), AT), null);
  plates.read(reading("one more"), AT);
  t.equal(plates.read(reading("0", 0.6), AT), null);
  t.equal(plates.read(reading("2"), AT), null);
  t.match(plates.read(reading("1"), AT), { confidence: 0.5 }, "forgotten: as new");
});

t.test("a time more than five minutes ahead is ignored; one long past is accepted", async (t) => {
  const plates = new PlateReadings();
  for (const [off, isTaken] of [
    [0.0014, true],
    [300, true],
    [-300, true],
    [300.001, false],
    [-300.001, true],
    [-7200, true],
  ] as const)
    t.equal(plates.read(reading(`${off}`, 0.5, AT / 1000 + off), AT)?.at, isTaken ? AT + Math.round(off * 1000) : AT);
});

t.test("an invalid plate is ignored", async (t) => {
  const plates = new PlateReadings();
  for (const text of ["", "A", "A-1", "- -", null, 5]) t.equal(plates.read(reading("a", 0.5, null, text), AT), null);
  t.match(plates.read(reading("a", 0.5, null, "AB"), AT), { text: "AB" });
  t.match(plates.read(reading("b", 0.5, null, "x".repeat(30)), AT), { text: "x".repeat(20) });
  t.equal(plates.read({ ...reading("a"), id: null }, AT), null);
  t.hasStrict(plates.read(reading("e".repeat(70)), AT), { eventId: "e".repeat(64) });
});
