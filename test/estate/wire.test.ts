import t from "tap";
import { LONGEST_MESSAGE, objectOf } from "../../src/features/estate/wire.ts";

t.test("a message longer than any of an estate is not read, whatever its content", async (t) => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const padded = (length: number): string => `{"a":"${"x".repeat(length - 8)}"}`;
  t.ok(objectOf(bytes(padded(LONGEST_MESSAGE))));
  t.equal(objectOf(bytes(padded(LONGEST_MESSAGE + 1))), null);
  t.equal(objectOf(bytes("[".repeat(LONGEST_MESSAGE))), null);
  t.equal(objectOf(new Uint8Array(LONGEST_MESSAGE).fill(0xff)), null);
});
