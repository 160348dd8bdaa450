import t from "tap";
import { latestOf, withoutRoutine } from "../../src/console/pages/latest-order.ts";

const at = (minute: number) => `2026-11-29T12:${String(minute).padStart(2, "0")}:00Z`;
const cars = (...minutes: number[]) => minutes.map((minute) => ({ at: at(minute), plate: `car ${minute}` }));
const lines = (...minutes: number[]) =>
  minutes.map((minute) => ({ item: { at: at(minute), title: `line ${minute}` } }));
const shown = (all: ReturnType<typeof latestOf<ReturnType<typeof cars>[number], ReturnType<typeof lines>[number]>>) =>
  all.map(({ car, line }) => car?.plate ?? line?.item.title);

t.test("cars and lines are in one order, the newest first", async (t) => {
  t.same(shown(latestOf(cars(50, 20), lines(40, 10))), ["car 50", "line 40", "car 20", "line 10"]);
});

t.test("a busy gate leaves four lines to the house, and a busy house four to the cars", async (t) => {
  const both = shown(latestOf(cars(59, 58, 57, 56, 55, 54), lines(9, 8, 7, 6, 5)));
  t.same(both, ["car 59", "car 58", "car 57", "car 56", "line 9", "line 8", "line 7", "line 6"]);
  t.equal(latestOf(cars(59, 58, 57, 56, 55, 54), lines(9)).length, 7, "and takes what the other leaves");
  t.equal(latestOf([], lines(9, 8, 7, 6, 5, 4, 3, 2, 1)).length, 8);
});

t.test("a scene that somebody runs each day is there once, and hides nothing", async (t) => {
  const line = (kind: string, title: string, day: number) => ({ item: { kind, title, day } });
  const all = [
    line("scene.activated", "Asha ran the scene Good night", 3),
    line("scene.activated", "Ravi ran the scene Good night", 3),
    line("gate.opened", "Asha opened the gate", 3),
    line("scene.activated", "Asha ran the scene Good night", 2),
    line("gate.opened", "Asha opened the gate", 2),
    line("scene.activated", "Asha ran the scene Evening", 2),
  ];
  t.same(withoutRoutine(all), [all[0], all[1], all[2], all[4], all[5]]);
});
