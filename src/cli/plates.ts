import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Command, readArguments, UsageError, withHub } from "./command.ts";
import type { HubCalls } from "./control-socket.ts";

interface Sample {
  readonly readId: number;
  readonly deviceId: string;
  readonly plate: string;
  readonly seen: string;
  readonly at: string;
  /** JPEG in base64. */
  readonly picture: string;
}

/** `gatehouse plates …`. */
export const platesCommand: Command = {
  name: "plates",
  summary: "write out the pictures of corrected plates with the right text",
  help: `Usage: gatehouse plates export FOLDER

Writes what was kept of corrected reads (plates.keepCorrected) into an empty or new folder: a JPEG of each plate, and labels.csv with
file,text,seen,camera,at: the right plate, what the hub had read, and the time of the read. Such a set can show how well
plates are read at this site, or train a reader. Plates are personal data: give the set only to those who may have it. The hub sends it nowhere.`,
  async run(args, io) {
    const { values, positionals } = readArguments(args, {});
    const [verb, folder, ...more] = positionals;
    if (verb !== "export" || folder === undefined || more.length > 0) throw new UsageError("Name a folder.");
    const target = resolve(folder);
    await mkdir(target, { recursive: true, mode: 0o700 });
    if ((await readdir(target)).length > 0) throw new UsageError(`${target} is not empty.`);
    const count = await withHub(io, values.data, (hub) => writeSamples(hub, target));
    io.out(
      values.json
        ? `${JSON.stringify({ folder: target, plates: count })}\n`
        : `${count === 1 ? "One plate" : `${count} plates`} in ${target}\n`,
    );
    return 0;
  },
};

/** Answers how many were written. */
async function writeSamples(hub: HubCalls, folder: string): Promise<number> {
  const lines = ["file,text,seen,camera,at"];
  for (let after: number | null = 0; after !== null; ) {
    // features/gate/api/console-plates.ts
    const page = (await hub.call("GET", `/api/plates/corrected?after=${after}`)) as {
      samples: readonly Sample[];
      next: number | null;
    };
    for (const { readId, deviceId, plate, seen, at, picture } of page.samples) {
      const file = `${readId}.jpg`;
      await writeFile(join(folder, file), Buffer.from(picture, "base64"), { mode: 0o600 });
      lines.push([file, plate, seen, deviceId, at].join(","));
    }
    after = page.next;
  }
  await writeFile(join(folder, "labels.csv"), `${lines.join("\n")}\n`, { mode: 0o600 });
  return lines.length - 1;
}
