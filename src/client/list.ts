import { type Call, jsonOf, type Transport } from "./transport.ts";

/** A list that is read page by page while it is iterated, or all at once. */
export interface List<Item> extends AsyncIterable<Item> {
  /** Everything, or the first `most`. */
  all(most?: number): Promise<Item[]>;
}

/** A list of the hub; `member` names it in the answer. Further pages are read from the answers' `Link`. */
export function list<Item>(transport: Transport, path: string, member: string, call: Call = {}): List<Item> {
  async function* items(): AsyncGenerator<Item> {
    let next: string | null = path;
    let { query } = call;
    while (next !== null) {
      const answer = await transport.answer("GET", next, { ...call, query });
      yield* jsonOf<Record<string, Item[]>>(answer)[member] ?? [];
      next = nextPage(answer.headers.get("link"));
      query = undefined; // the link has it
    }
  }
  return {
    [Symbol.asyncIterator]: items,
    async all(most = Number.POSITIVE_INFINITY) {
      const found: Item[] = [];
      for await (const item of items()) {
        if (found.length >= most) break;
        found.push(item);
      }
      return found;
    },
  };
}

/** Path and query of the next page: the key goes to no other host, whatever a link says. */
function nextPage(link: string | null): string | null {
  const next = (link ?? "").split(",").find((part) =>
    part
      .split(";")
      .slice(1)
      .some((parameter) => ['rel="next"', "rel=next"].includes(parameter.trim())),
  );
  const target = next?.split(";")[0]?.trim().slice(1, -1) ?? ""; // without its angle brackets
  const path = target.replace(/^[a-z]+:\/\/[^/]*/i, "");
  return path.startsWith("/") ? path : null;
}
