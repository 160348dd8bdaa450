/** `gatehouse recognise PICTURE` in its own process, with a recogniser that hangs; started by recognise.test.ts. */
import { readPictures } from "../../src/cli/recognise.ts";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Recogniser } from "../../src/features/recognition/recogniser.ts";
import { PROJECT_ROOT } from "../support/database.ts";

const program = new URL("./blocked-thread.ts", import.meta.url);
const recogniser = new Recogniser({
  enabled: true,
  modelsFolder: "/nowhere",
  threads: 1,
  budgetMs: 100,
  queuedBursts: 4,
  clock: systemClock,
  logger: silentLogger,
  program,
});
process.exitCode = await readPictures(
  recogniser,
  { paths: process.argv.slice(2), burst: false, candidates: false, json: true, shutdownDeadlineMs: 200 },
  {
    env: process.env,
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    readInput: async () => "",
    projectFolder: PROJECT_ROOT,
    version: "0.0.0",
    leave: () => process.kill(process.pid, "SIGKILL"),
  },
);
