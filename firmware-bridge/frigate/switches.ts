/**
 * Switches of a camera, by their topic's name, and the hub's words for them. `motion` there is the detection, here the
 * thing seen.
 */
export const SWITCHES: ReadonlyMap<string, string> = new Map([
  ["enabled", "enabled"],
  ["detect", "detect"],
  ["recordings", "recordings"],
  ["record", "recordings"],
  ["snapshots", "snapshots"],
  ["motion", "motionDetection"],
  ["audio", "audio"],
  ["improve_contrast", "improveContrast"],
  ["ptz_autotracker", "ptzAutotracker"],
  ["autotracking", "ptzAutotracker"],
  ["review_alerts", "reviewAlerts"],
  ["alerts", "reviewAlerts"],
  ["review_detections", "reviewDetections"],
  ["detections", "reviewDetections"],
  ["object_descriptions", "objectDescriptions"],
  ["review_descriptions", "reviewDescriptions"],
  ["birdseye", "birdseye"],
  ["notifications", "notifications"],
]);

/** The topic's name of a word. */
export const TOPIC_OF_WORD: ReadonlyMap<string, string> = new Map(
  [...SWITCHES].reverse().map(([topic, word]) => [word, topic]),
);
