/** Settings of number plates: retention, recognition, and the gate's use of them. */
import { Type } from "typebox";
import { choice, flag, list, text, whole } from "./builders.ts";

/** Group `plates`. */
export const plates = Type.Object(
  {
    imageRetentionDays: whole({
      default: 30,
      minimum: 0,
      maximum: 365,
      env: "ANPR_IMAGE_RETENTION_DAYS",
      description: "Days that the picture of a plate read is kept; 0 = pictures are never stored.",
      restart: false,
    }),
    readRetentionDays: whole({
      default: 365,
      minimum: 7,
      maximum: 1_825,
      env: "ANPR_READ_RETENTION_DAYS",
      description: "Days that plate reads and visits are kept; never shorter than their pictures.",
      restart: false,
    }),
    keepCorrected: choice(["never", "with_picture", "always"], {
      default: "never",
      env: "GATEHOUSE_PLATES_KEEP_CORRECTED",
      restart: false,
      description:
        "When somebody corrects a read, keep the picture of its plate with the right text, on this hub: for as long as the whole picture is kept, or always (the last 2,000). `gatehouse plates export` writes them out; nothing else does.",
    }),
  },
  { description: "How long number plates are kept." },
);

/** Group `recognition`. */
export const recognition = Type.Object(
  {
    enabled: flag({
      default: true,
      env: "GATEHOUSE_RECOGNITION",
      description: "Read number plates. Off: captures are stored as unrecognised.",
    }),
    modelsFolder: text({ default: "./models", env: "GATEHOUSE_MODELS", description: "Folder of the model files." }),
    threads: whole({
      default: 0,
      minimum: 0,
      maximum: 64,
      env: "GATEHOUSE_RECOGNITION_THREADS",
      description: "Threads of the recogniser; 0 = chosen for the machine.",
    }),
    budgetMs: whole({
      default: 5_000,
      minimum: 200,
      maximum: 60_000,
      env: "GATEHOUSE_RECOGNITION_BUDGET_MS",
      description: "Time that one burst may take before its read counts as timed out.",
    }),
    queuedBursts: whole({
      default: 16,
      minimum: 1,
      maximum: 200,
      env: "GATEHOUSE_RECOGNITION_QUEUED_BURSTS",
      description: "Bursts that may wait for the recogniser.",
    }),
    secondReader: flag({
      default: true,
      env: "GATEHOUSE_RECOGNITION_SECOND_READER",
      description:
        "A second reader of another build looks at plates that the first one leaves in doubt: more are read, and fewer wrongly. It takes 15 MB of memory.",
    }),
    countries: list({
      default: [],
      item: "^[A-Z]{2}$",
      env: "GATEHOUSE_RECOGNITION_COUNTRIES",
      description: "Countries whose plates are seen besides India's, such as BR or US; none: all that the hub knows.",
    }),
  },
  { description: "The number plate recogniser." },
);

/** Group `gate`. */
export const gate = Type.Object(
  {
    passSeconds: whole({
      default: 30,
      minimum: 0,
      maximum: 600,
      env: "GATEHOUSE_GATE_PASS_SECONDS",
      description: "Reads of one plate at one camera within this time are one pass.",
    }),
    minConfidence: whole({
      default: 90,
      minimum: 0,
      maximum: 100,
      env: "GATEHOUSE_GATE_MIN_CONFIDENCE",
      restart: false,
      description:
        "Least confidence of a read that may open a gate. 93 of 100 right reads of a single picture reach 90, and most of the wrong ones do not; 0: every read opens.",
    }),
    openFromEstate: flag({
      default: true,
      env: "GATEHOUSE_GATE_OPEN_FROM_ESTATE",
      restart: false,
      description: "In an estate: hubs with the role of a manager may open this hub's gates.",
    }),
  },
  { description: "From a read to a decision." },
);
