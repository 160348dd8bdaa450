/** Clusters that the hub commands, as matter.js calls them. */
export const COMMANDED = [
  "onOff",
  "levelControl",
  "colorControl",
  "windowCovering",
  "doorLock",
  "thermostat",
  "fanControl",
  "valveConfigurationAndControl",
] as const;

/** One of {@link COMMANDED}. */
export type CommandedCluster = (typeof COMMANDED)[number];
