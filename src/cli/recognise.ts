import { systemClock } from "../core/kernel/clock.ts";
import { createLogger } from "../core/platform/log.ts";
import { detailEnglish } from "../core/text/english.ts";
import {
  describeResult,
  RESULT_HEAD,
  type RecogniseOptions,
  recogniseFiles,
} from "../features/recognition/recognise-files.ts";
import { Recogniser } from "../features/recognition/recogniser.ts";
import { type CliIo, type Command, modelsFolder, openPlace, readArguments, UsageError } from "./command.ts";

/** Nobody waits at a gate: a slow machine may take its time. */
const BUDGET_MS = 60_000;
/** A thread that is asked to end finishes its picture first; on the slowest box that takes a few seconds. */
const TIMEOUT_MS = 10_000;

/** `gatehouse recognise`. */
export const recogniseCommand: Command = {
  name: "recognise",
  summary: "read number plates on pictures",
  help: `Usage: gatehouse recognise [--json] [--burst] [--candidates] FILE|FOLDER…

Runs the hub's own recogniser. With --json one line per picture:
{"file","ms","plates":[{"plate","formatted","plateKind","status","reason","confidence","text","box":[x1,y1,x2,y2],"corners":[[x,y]×4]}]},
best first: the plates that the hub would store, or else the clearest one that it could not make out ("?"). --candidates adds everything
else that looked like a plate but could not be read as one. With --burst the pictures of a folder are the frames of one burst.

Exit code 0: every picture was processed, whether it shows a plate or not. 1: one could not be read at all or in time, or there are no models.`,
  async run(args, io) {
    const { values, positionals } = readArguments(args, {
      burst: { type: "boolean" },
      candidates: { type: "boolean" },
    });
    if (positionals.length === 0) throw new UsageError("Name pictures or folders.");
    const { settings } = openPlace(io, values.data);
    const { threads, queuedBursts, countries } = settings.current.recognition;
    const logger = createLogger({ level: "warn", format: "text", write: io.err, mono: systemClock.mono });
    const recogniser = new Recogniser({
      enabled: true,
      modelsFolder: modelsFolder(io, settings),
      threads,
      budgetMs: BUDGET_MS,
      queuedBursts,
      countries,
      clock: systemClock,
      logger,
    });
    return readPictures(
      recogniser,
      {
        paths: positionals,
        burst: values.burst === true,
        candidates: values.candidates === true,
        json: values.json === true,
        shutdownDeadlineMs: TIMEOUT_MS,
      },
      io,
    );
  },
};

/** What to read, and how to print it. */
export interface PicturesToRead extends RecogniseOptions {
  readonly paths: readonly string[];
  readonly json: boolean;
  /** How long to wait for the recogniser's threads at the end. */
  readonly shutdownDeadlineMs: number;
}

/**
 * Reads pictures, prints what they show and returns the exit code. The recogniser is stopped at the end; one that hangs
 * takes the process with it.
 */
export async function readPictures(
  recogniser: Recogniser,
  { paths, burst, candidates, json, shutdownDeadlineMs }: PicturesToRead,
  io: CliIo,
): Promise<number> {
  await recogniser.start();
  const { ready, words } = recogniser.state();
  if (!ready) io.err(`${detailEnglish(words)}\n`);
  let broken = 0;
  let isUnread = false;
  io.whenUnread?.(() => {
    // the current picture is finished: a thread that is torn from the decoder's work takes the process with it
    isUnread = true;
  });
  try {
    if (!json) io.out(`${RESULT_HEAD}\n`);
    for await (const result of recogniseFiles(recogniser, paths, { burst, candidates })) {
      if (isUnread) break;
      if (result.reason === "provider_error" || result.reason === "timeout") broken += 1;
      io.out(json ? `${JSON.stringify(result)}\n` : `${describeResult(result)}\n`);
    }
  } finally {
    await recogniser.stop();
  }
  if (broken > 0) io.err(`${broken === 1 ? "One picture" : `${broken} pictures`} could not be read.\n`);
  await recogniser.ended(shutdownDeadlineMs);
  if (recogniser.threadsLeft > 0) {
    io.err("The recogniser hangs and is left behind.\n");
    io.leave?.();
  }
  return ready && broken === 0 ? 0 : 1;
}
