/** What the text of a command says twice. */
import t from "tap";
import { namesKeyTwice } from "../../src/features/devices/command-text.ts";

t.test("a key that an object names twice is found, however it is written and however deep", async (t) => {
  for (const text of [
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '{"a":{"b":1},"c":[{"d":1},{"e":{"f":0,"f":0}}]}',
    '{ "a" : [1, 2], "b" : "}", "a" : null }',
    '{"__proto__":1,"__proto__":2}',
    '{"a":[],"a":[]}',
  ])
    t.ok(namesKeyTwice(text), text);
  for (const text of [
    "{}",
    '{"a":"a","b":"a"}',
    '{"a":{"a":{"a":1}}}',
    '{"a":["a","a"],"b":[{"a":1},{"a":1}]}',
    '{"a":"\\",\\"a\\":","b":"{\\"a\\":1,\\"a\\":1}"}',
    '{"a":1,"A":2}',
  ])
    t.notOk(namesKeyTwice(text), text);
});
