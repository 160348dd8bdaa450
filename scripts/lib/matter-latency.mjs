// @ts-check
/** The delay from a device's report until a home receives it: each value of the hub's event stream, compared with the
 * home's. */

/** @typedef {import("./matter-home.mjs").Heard} Heard */
/** @typedef {import("./matter-household.mjs").Attribute} Attribute */
/** @typedef {{ deviceId: string, values: Readonly<Record<string, unknown>>, at: number }} Reported */

/**
 * Reads the hub's stream of facts until it is closed: the devices' reports, with the hub's time of each.
 * @param {string} url
 * @param {string} cookie
 */
export async function listen(url, cookie) {
  const ends = new AbortController();
  const answer = await fetch(`${url}/api/stream`, { headers: { cookie }, signal: ends.signal });
  if (!answer.ok || answer.body === null) throw new Error(`GET /api/stream: ${answer.status}`);
  /** @type {Reported[]} */
  const reported = [];
  /** @type {Map<string, Record<string, unknown>>} */
  const pictures = new Map();
  const { body } = answer;
  const reading = (async () => {
    let rest = "";
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const blocks = `${rest}${chunk}`.split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const [, kind, text] = /event: (device\.changed|device\.telemetry)\ndata: (.*)/.exec(block) ?? [];
        if (kind === undefined || text === undefined) continue;
        const { deviceId, state, changed, data, at } = JSON.parse(text);
        // A state repeats earlier measurements; only its changes count.
        const news =
          state === undefined || !pictures.has(deviceId)
            ? (state ?? data)
            : Object.fromEntries(Object.entries(state).filter(([key]) => changed.includes(key)));
        pictures.set(deviceId, { ...pictures.get(deviceId), ...news });
        reported.push({ deviceId, values: pictures.get(deviceId) ?? {}, at: Date.parse(at) });
      }
    }
  })().catch(() => {}); // it was closed
  return {
    reported,
    close: async () => {
      ends.abort();
      await reading;
    },
  };
}

/**
 * For each reported change of an attribute's value, the milliseconds until the home received it; `missed` counts those
 * that it never received although nothing newer came within the limit; `isSettled`: the last value received is the last
 * one reported.
 * @param {object} what
 * @param {readonly Reported[]} what.reported of one device, in order
 * @param {readonly Heard[]} what.heard
 * @param {number} what.endpoint
 * @param {Attribute} what.attribute
 * @param {number} what.limitMs
 */
export function delays({
  reported,
  heard,
  endpoint,
  attribute: { cluster, attribute, read, counts = () => true },
  limitMs,
}) {
  const own = heard.filter(
    (one) => one.endpoint === endpoint && one.cluster === cluster && one.values[attribute] !== undefined,
  );
  const changes = reported
    .map(({ values, at }) => ({ value: read(values), at }))
    .filter(({ value }) => value !== undefined)
    .filter(({ value }, index, all) => index > 0 && value !== all[index - 1]?.value);
  /** @type {number[]} */
  const took = [];
  let missed = 0;
  for (const [index, { value, at }] of changes.entries()) {
    const last = own.findLast((one) => one.at < at)?.values[attribute];
    if (last !== undefined && !counts(value, last)) continue;
    const next = changes[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    const found = own.find((one) => one.values[attribute] === value && one.at >= at && one.at < next + limitMs);
    if (found !== undefined) took.push(found.at - at);
    else if (next - at > limitMs) missed += 1;
  }
  return { took, missed, isSettled: own.at(-1)?.values[attribute] === changes.at(-1)?.value };
}
