import { bytesWritten, residentBytes } from "../../core/platform/disk.ts";
import type { MetricSource } from "./metrics.ts";
import type { HubParts } from "./parts.ts";

/** Figures of the parts, read on request. Their names contain the units. */
export function metricSources(hub: HubParts): MetricSource[] {
  const { database, devices, broker, telemetry, plates, recognition, webhooks } = hub;
  return [
    { name: "resident_bytes", help: "Memory of the process.", read: () => residentBytes() },
    { name: "written_bytes", help: "Bytes written to storage since start.", kind: "counter", read: bytesWritten },
    {
      name: "storage_commits",
      help: "Group commits since start.",
      kind: "counter",
      read: () => database.figures.commits,
    },
    { name: "storage_jobs", help: "Write jobs since start.", kind: "counter", read: () => database.figures.jobs },
    { name: "storage_waiting_jobs", help: "Write jobs that wait for a commit.", read: () => database.figures.waiting },
    { name: "mqtt_devices", help: "Devices connected.", read: () => broker.figures()?.devices ?? 0 },
    {
      name: "mqtt_refused",
      help: "Messages refused since start.",
      kind: "counter",
      read: () => broker.figures()?.refused ?? 0,
    },
    {
      name: "telemetry_samples",
      help: "Samples received since start.",
      kind: "counter",
      read: () => telemetry.figures().received,
    },
    {
      name: "feed_left_out",
      help: "Feed items left out since start because their device said too much.",
      kind: "counter",
      read: () => devices.feed.leftOut,
    },
    {
      name: "plates_bursts",
      help: "Bursts taken since start.",
      kind: "counter",
      read: () => plates.gate.figures.bursts,
    },
    {
      name: "plates_reads",
      help: "Plate reads stored since start.",
      kind: "counter",
      read: () => plates.gate.figures.reads,
    },
    {
      name: "gate_commands",
      help: "Gate commands since start.",
      kind: "counter",
      read: () => plates.gate.figures.gateCommands,
    },
    {
      name: "gate_decision_ms",
      help: "Latest time from last frame to decision.",
      read: () => plates.gate.figures.lastDecisionMs,
    },
    {
      name: "recogniser_waiting_bursts",
      help: "Bursts with frames that wait for the recogniser.",
      read: () => recognition.figures().waitingBursts,
    },
    {
      name: "recogniser_waiting_frames",
      help: "Frames that wait for the recogniser.",
      read: () => recognition.figures().waitingFrames,
    },
    {
      name: "recogniser_frames",
      help: "Frames read since start.",
      kind: "counter",
      read: () => recognition.figures().frames,
    },
    {
      name: "recogniser_frames_dropped",
      help: "Frames dropped because too many waited.",
      kind: "counter",
      read: () => recognition.figures().framesDropped,
    },
    {
      name: "recogniser_bad_frames",
      help: "Frames that were no pictures, since start.",
      kind: "counter",
      read: () => recognition.figures().badFrames,
    },
    {
      name: "recogniser_timeouts",
      help: "Bursts over their time budget since start.",
      kind: "counter",
      read: () => recognition.figures().timeouts,
    },
    {
      name: "recogniser_thread_starts",
      help: "Worker threads started; more than one means that some died.",
      kind: "counter",
      read: () => recognition.figures().threadStarts,
    },
    { name: "recogniser_frame_ms", help: "Time of the latest frame.", read: () => recognition.figures().frameMs },
    { name: "recogniser_burst_ms", help: "Time of the latest burst.", read: () => recognition.figures().burstMs },
    {
      name: "captures_open",
      help: "Captures whose frames are still coming.",
      read: () => recognition.captureFigures().open,
    },
    {
      name: "captures_waiting",
      help: "Captures that wait to be read and stored.",
      read: () => recognition.captureFigures().waiting,
    },
    {
      name: "captures_refused_frames",
      help: "Frames refused since start.",
      kind: "counter",
      read: () => recognition.captureFigures().refusedFrames,
    },
    {
      name: "webhooks_sent",
      help: "Deliveries made since start.",
      kind: "counter",
      read: () => webhooks.deliverer.figures.sent,
    },
    {
      name: "webhooks_failed",
      help: "Deliveries that failed since start.",
      kind: "counter",
      read: () => webhooks.deliverer.figures.failed,
    },
  ];
}
