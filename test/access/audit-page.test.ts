/** The audit list as people read it: an import is one act, and a search finds what the reader knows by a name. */
import t from "tap";
import { auditPage } from "../../src/features/access/audit-page.ts";

const T0 = Date.parse("2026-03-02T12:00:00Z");

interface Line {
  readonly id: number;
  readonly person: string | null;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly at: number;
}

let lastId = 0;
function line(action: string, target: string, more: Partial<Line> = {}): Line {
  lastId += 1;
  return { id: lastId, person: "Asha", actor: "session:1", action, target, detail: {}, at: T0 + lastId * 10, ...more };
}

/** A list that is read newest first. */
function listOf(...lines: readonly Line[]) {
  const newest = lines.toReversed();
  let read = 0;
  return {
    read: (before: number, limit: number): Line[] => {
      const page = newest.filter(({ id }) => id < before).slice(0, limit);
      read += page.length;
      return page;
    },
    looked: () => read,
  };
}

const ALL = { limit: 25, beforeId: Number.MAX_SAFE_INTEGER, words: [] };
const shown = ({ events }: { events: readonly { line: Line; count: number }[] }): string[] =>
  events.map(({ line: { target }, count }) => (count === 1 ? target : `${target} and ${count - 1} more`));
const word = (text: string, ...named: string[]) => ({ word: text, named: new Set(named) });

t.test("an import of many rules is one act, and what was done before it is on the same page", async (t) => {
  const invited = line("person.invited", "Ravi");
  const rules = Array.from({ length: 1_400 }, (_, n) => line("plate_rule.created", `MH 12 AB ${n}`));
  const { read } = listOf(invited, ...rules, line("key.created", "App"));
  const page = await auditPage(ALL, read);
  t.same(shown(page), ["App", "MH 12 AB 1399 and 1399 more", "Ravi"]);
  t.equal(page.events[1]?.alike.length, 200, "not all of them are given");
  t.equal(page.next, null);
});

t.test("what different people do, or much later, is not one act; nor is a change", async (t) => {
  const { read } = listOf(
    line("device.created", "a"),
    line("device.created", "b", { actor: "session:2" }),
    line("device.created", "c", { actor: "session:2", at: T0 + 600_000 }),
    line("device.edited", "c"),
    line("device.edited", "d"),
  );
  t.same(shown(await auditPage(ALL, read)), ["d", "c", "c", "b", "a"]);
});

t.test("a page goes on where the one before it ended", async (t) => {
  const lines = Array.from({ length: 60 }, (_, n) => line("device.edited", `d${n}`));
  const { read } = listOf(...lines);
  const first = await auditPage(ALL, read);
  const second = await auditPage({ ...ALL, beforeId: first.next ?? 0 }, read);
  const third = await auditPage({ ...ALL, beforeId: second.next ?? 0 }, read);
  t.same([...shown(first), ...shown(second), ...shown(third)], lines.map(({ target }) => target).toReversed());
  t.equal(third.next, null);
});

t.test("each word has to be in the line, or in what the reader knows by it", async (t) => {
  const { read } = listOf(
    line("plate_rule.created", "MH 12 AB 1234", { detail: { kind: "allow" } }),
    line("device.edited", "demo-lock", { person: "Ravi", detail: { name: "Front door" } }),
    line("device.edited", "demo-gate"),
  );
  const found = async (...words: ReturnType<typeof word>[]) => shown(await auditPage({ ...ALL, words }, read));
  t.same(await found(word("mh12")), ["MH 12 AB 1234"], "a plate without its spaces");
  t.same(await found(word("ravi")), ["demo-lock"]);
  t.same(await found(word("front")), ["demo-lock"], "in the detail");
  t.same(await found(word("driveway", "demo-gate")), ["demo-gate"], "by the name of its device");
  t.same(await found(word("ravi"), word("rule", "plate_rule.created")), []);
  t.same(
    await found(word("asha"), word("rule", "plate_rule.created")),
    ["MH 12 AB 1234"],
    "by the words of its action",
  );
});

t.test("a search that finds nothing looks at 20,000 lines, says how far it came, and goes on from there", async (t) => {
  const needle = line("device.edited", "needle");
  const lines = Array.from({ length: 21_000 }, (_, n) => line("device.edited", `d${n}`));
  const { read, looked } = listOf(needle, ...lines);
  const first = await auditPage({ ...ALL, words: [word("needle")] }, read);
  t.same(shown(first), []);
  t.equal(looked(), 20_000);
  t.equal(first.searchedTo, lines[1_000]?.at);
  const second = await auditPage({ ...ALL, beforeId: first.next ?? 0, words: [word("needle")] }, read);
  t.same(shown(second), ["needle"]);
  t.same([second.next, second.searchedTo], [null, null]);
});
