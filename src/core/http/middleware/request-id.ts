import { randomBase62 } from "../../kernel/ids.ts";

const CLIENT_ID = /^[A-Za-z0-9_-]{8,64}$/;

/** Numbers requests; a client's own well-formed X-Request-Id is kept, so that its log and the hub's name one thing. */
export class RequestIds {
  /** Random per start, so that ids of two runs never meet in a log. */
  readonly #run = randomBase62(8);
  #count = 0;

  next(fromClient: string | string[] | undefined): string {
    if (typeof fromClient === "string" && CLIENT_ID.test(fromClient)) return fromClient;
    this.#count += 1;
    return `${this.#run}-${this.#count.toString(36)}`;
  }
}
