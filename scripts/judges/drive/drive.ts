/** What a generated client is driven with. */
export interface Drive {
  readonly url: string;
  /** A key of the simulated household, with all scopes. */
  readonly key: string;
  /** Id of a plug of it. */
  readonly plug: string;
}

/** An answer that should have been another. */
export class Unexpected extends Error {
  constructor(response: Response, body: unknown) {
    super(`${response.status} of ${response.url}: ${JSON.stringify(body)}`);
  }
}
