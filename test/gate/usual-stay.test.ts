/** When the hub stops to say that a car is inside: by its own habit, or after a day. */
import t from "tap";
import { carsInside } from "../../src/features/gate/console/inside.ts";
import { mayHaveLeftFrom, usualStay } from "../../src/features/gate/rules/usual-stay.ts";

const HOUR = 3_600;
const CAME = Date.parse("2026-03-01T08:10:00Z");
const hoursLater = (hours: number): number => CAME + hours * HOUR * 1_000;

t.test("two stays are no habit: a car counts as inside for a day", async (t) => {
  t.equal(usualStay([HOUR, 2 * HOUR]), null);
  t.equal(mayHaveLeftFrom(CAME, null), hoursLater(24));
});

t.test("a car that stays two hours is doubted when it has clearly been longer", async (t) => {
  const habit = usualStay([2 * HOUR, 1.9 * HOUR, 2.1 * HOUR]);
  t.equal(habit?.usualSeconds, 2 * HOUR);
  t.equal(mayHaveLeftFrom(CAME, habit), hoursLater(3.25), "half as long again, and a quarter of an hour");
});

t.test("a car of the house that stays for lunch and over night is not doubted over night", async (t) => {
  const stays = [HOUR, HOUR, HOUR, 12 * HOUR, 12 * HOUR, HOUR, HOUR, 12 * HOUR];
  t.equal(mayHaveLeftFrom(CAME, usualStay(stays)), hoursLater(12.25));
});

t.test("one stay of days, whose end was missed, makes no habit of days", async (t) => {
  const stays = [...Array.from({ length: 19 }, () => 2 * HOUR), 5 * 24 * HOUR];
  t.equal(mayHaveLeftFrom(CAME, usualStay(stays)), hoursLater(3.25));
});

t.test("cars inside are apart from those that may have left, and from those seen at the gate only", async (t) => {
  const car = (plate: string, how: "let_in" | "at_gate", mayHaveLeftFrom: string) => ({
    ...{ visitId: 1, plate, formatted: plate, label: "", since: new Date(CAME).toISOString(), how },
    ...{ usualStaySeconds: null, mayHaveLeftFrom },
  });
  const inside = [
    car("STAYS", "let_in", "2026-03-01T12:00:00Z"),
    car("GONE", "let_in", "2026-03-01T10:00:00Z"),
    car("GATE", "at_gate", "2026-03-01T10:00:00Z"),
  ];
  const { here, mayHaveLeft } = carsInside({ inside, leftUnseen: [] }, Date.parse("2026-03-01T11:00:00Z"));
  t.same(
    here.map(({ plate }) => plate),
    ["STAYS"],
  );
  t.same(
    mayHaveLeft.map(({ plate }) => plate),
    ["GONE"],
  );
});
