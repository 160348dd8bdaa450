import { Problem } from "../../core/kernel/problem.ts";

/** Runs `work`; a problem that it throws gets the place in the document where it arose, as a JSON pointer. */
export function placed<Result>(place: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw withPlace(place, error);
  }
}

/** Like {@link placed}, for asynchronous work. */
export async function placedLater<Result>(place: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw withPlace(place, error);
  }
}

function withPlace(place: string, error: unknown): unknown {
  if (!(error instanceof Problem)) return error;
  const details =
    error.details.length > 0
      ? error.details.map((detail) => ({ ...detail, field: place + detail.field }))
      : [{ field: place, code: error.code, message: error.message }];
  const { hint, fields, headers } = error;
  return new Problem(error.code, `${place}: ${error.message}`, {
    details,
    fields,
    headers,
    cause: error,
    ...(hint === null ? {} : { hint }),
  });
}

/** A problem of one member of the document. */
export function invalidAt(place: string, message: string): Problem {
  return new Problem("invalid_body", `${place}: ${message}.`, {
    details: [{ field: place, code: "invalid", message }],
  });
}
