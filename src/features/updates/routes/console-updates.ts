import { basename } from "node:path";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import type { AuditNote } from "../../access/routes/console-audit.ts";
import type { Uploads } from "../../backups/uploads.ts";
import { getUpdates, installUpdate, rollBackUpdate } from "../api/console-updates.ts";
import type { Updates } from "../updates.ts";

/** Updates. */
export function updateRoutes({
  updates,
  uploads,
  version,
  note,
}: {
  readonly updates: Updates;
  readonly uploads: Uploads;
  readonly version: string;
  readonly note: AuditNote;
}): BoundRoute[] {
  const answer = async <Status extends number>(status: Status) => {
    const { phase, version: about, from, at, text, words } = updates.state();
    const { managed, canRollBack } = updates;
    const state = {
      phase,
      version: about,
      from,
      at: isoTimeOrNull(at),
      text,
      ...(words === undefined ? {} : { words }),
    };
    const found = managed ? await updates.found() : [];
    return {
      status,
      body: { updates: { version, managed, installed: updates.installed(), canRollBack, state, found } },
    };
  };
  return [
    bind(getUpdates, () => answer(200)),
    bind(installUpdate, async ({ caller, body }) => {
      const { uploadId, file } = body;
      if (uploadId !== undefined) {
        await updates.install(uploads.finished(uploadId, "update"));
        uploads.discard(uploadId);
      } else {
        const found = (await updates.found()).find((update) => update.file === file);
        if (found === undefined)
          throw new Problem(
            "not_found",
            "There is no such file on a stick or in a folder of the setting updates.sources.",
          );
        await updates.install(found.file);
      }
      await note(caller, "update.installed", file === undefined ? "upload" : basename(file));
      return answer(202);
    }),
    bind(rollBackUpdate, async ({ caller }) => {
      await updates.rollBack();
      await note(caller, "update.rolled_back", version);
      return answer(202);
    }),
  ];
}
