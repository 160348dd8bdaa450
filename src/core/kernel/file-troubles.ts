/** How a trouble with one of the hub's own files was resolved. */
export interface FileTrouble {
  /** Its name within the data folder. */
  readonly file: string;
  /** See `SmallFile`: the system's code, or one word. */
  readonly reason: string;
  /** `copy`: replaced by its copy; `anew`: created again; `without`: the hub continues without it. */
  readonly instead: "copy" | "anew" | "without";
}

/** Files of the hub's own that could not be used at this start: for the log, the feed, health and doctor. */
export class FileTroubles {
  readonly #found: FileTrouble[] = [];

  /** Notes one; the same file is named once. */
  note(trouble: FileTrouble): void {
    if (!this.#found.some(({ file }) => file === trouble.file)) this.#found.push(trouble);
  }

  get all(): readonly FileTrouble[] {
    return this.#found;
  }

  /** Names and reasons of those about which `instead` was done: `hub.key (content), clock.json (pipe)`; empty if none. */
  named(instead: FileTrouble["instead"]): string {
    return this.#found
      .filter((one) => one.instead === instead)
      .map(({ file, reason }) => `${file} (${reason})`)
      .join(", ");
  }
}
