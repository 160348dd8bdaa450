/** Settings of the host: backups, updates, and what the system does for the hub. */
import { Type } from "typebox";
import { flag, list, text, whole } from "./builders.ts";

/** Group `backups`. */
export const backups = Type.Object(
  {
    scheduled: flag({
      default: true,
      env: "GATEHOUSE_BACKUPS",
      description: "Make a backup every day.",
      restart: false,
    }),
    time: text({
      default: "03:15",
      pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$",
      env: "GATEHOUSE_BACKUPS_TIME",
      description: "Local time of the daily backup.",
      restart: false,
    }),
    keepDaily: whole({
      default: 7,
      minimum: 1,
      maximum: 365,
      env: "GATEHOUSE_BACKUPS_KEEP_DAILY",
      description: "Days whose newest scheduled backup is kept, at each destination.",
      restart: false,
    }),
    keepWeekly: whole({
      default: 4,
      minimum: 0,
      maximum: 260,
      env: "GATEHOUSE_BACKUPS_KEEP_WEEKLY",
      description: "Weeks whose newest scheduled backup is kept, at each destination.",
      restart: false,
    }),
    destinations: list({
      default: [],
      item: "^(local|folder:/[^,]+|mount:/[^,]+|usb:[^/,]{1,64})$",
      env: "GATEHOUSE_BACKUPS_DESTINATIONS",
      description:
        "Where backups go: local (the data folder), folder:/path, mount:/path (only while something is mounted there) or usb:LABEL (a stick). None: local.",
      restart: false,
    }),
  },
  { description: "Backups. The passphrase that they are encrypted with is set in the console (System → Backups)." },
);

/** Group `updates`. */
export const updates = Type.Object(
  {
    sources: list({
      default: [],
      item: "^(folder:/[^,]+|mount:/[^,]+|usb:[^/,]{1,64})$",
      env: "GATEHOUSE_UPDATES_SOURCES",
      description:
        "Where updates are looked for, beside every stick that is plugged in: folder:/path, mount:/path or usb:LABEL.",
      restart: false,
    }),
    stateFolder: text({
      default: "",
      env: "GATEHOUSE_UPDATE_STATE",
      description:
        "Folder in which the system's own part says how updates went. Set by the installer; empty: this hub is not updated from within.",
    }),
  },
  { description: "Signed updates from a file, a stick or an upload; nothing is fetched from the internet." },
);

/** Group `box`. */
export const box = Type.Object(
  {
    clockRequest: text({
      default: "",
      env: "GATEHOUSE_CLOCK_REQUEST",
      description:
        "File through which the system's own part is asked to set the clock. Set by the installer; empty: the hub never sets it.",
    }),
    dailyWriteMegabytes: whole({
      default: 400,
      minimum: 1,
      maximum: 1_000_000,
      env: "GATEHOUSE_DAILY_WRITE_MB",
      description:
        "What the hub should write to the card in a day at most. Ahead of it, samples wait for a second to share a commit, far ahead of it for three or six; more is said on the health page.",
      restart: false,
    }),
  },
  { description: "The box that the hub runs on." },
);
