/** Searching for cameras: what the hub answers about them, and how addresses are derived from it. */
import type { Static } from "typebox";
import { t } from "../../../console/i18n/translate.ts";
import type { CameraPreset, FoundCamera, InspectedCamera } from "../../gate/api/console-cameras.ts";

/** A camera that answered a search (`GET /api/cameras/discover`). */
export type Answering = Static<typeof FoundCamera>;

/** What a camera says about itself (`POST /api/cameras/inspect`). */
export type Inspected = Static<typeof InspectedCamera>;

/** The addresses of one maker (`GET /api/cameras/presets`). */
export type Preset = Static<typeof CameraPreset>;

/** One address that can be a camera's source, with its name for the person who chooses. */
export interface Choice {
  readonly kind: "snapshot" | "rtsp";
  readonly url: string;
  readonly label: string;
}

/** What was found out about a camera, except the choice. */
export interface Finding {
  readonly name: string;
  readonly choices: readonly Choice[];
  /** Of the camera's own motion events; null where it has none. */
  readonly motionAddress: string | null;
}

/** The width that a plate reader needs and a small box can decode. */
const GOOD_WIDTH = 1920;

/** The choices of an ONVIF camera: the picture nearest to full HD first, and for each size the video first. */
export function choicesOf({ profiles }: Inspected): Choice[] {
  const distance = (width: number | null): number => Math.abs((width ?? 0) - GOOD_WIDTH);
  return [...profiles]
    .sort((a, b) => distance(a.width) - distance(b.width))
    .flatMap(({ name, width, height, streamUrl, snapshotUrl }) => {
      const about = { name, size: width === null || height === null ? "?" : `${width} × ${height}` };
      return [
        ...(streamUrl === null ? [] : [{ kind: "rtsp" as const, url: streamUrl, label: t("find.video", about) }]),
        ...(snapshotUrl === null
          ? []
          : [{ kind: "snapshot" as const, url: snapshotUrl, label: t("find.pictures", about) }]),
      ];
    });
}

/** What a person fills in for a camera of a known maker. */
export interface PresetFields {
  readonly host: string;
  readonly user: string;
  readonly password: string;
  readonly channel: string;
  readonly name: string;
}

/** Whether an address of the preset has this placeholder. */
export function asksFor({ addresses }: Preset, place: keyof PresetFields): boolean {
  return addresses.some(({ url }) => url.includes(`{${place}}`));
}

/** The addresses of a preset for one camera; what a person pastes as host may be a whole address. */
export function filledChoices({ addresses }: Preset, fields: PresetFields): Choice[] {
  const host = fields.host
    .trim()
    .replace(/^\w+:\/\//, "")
    .replace(/[/?#@].*$/, "")
    .replace(/:\d*$/, "");
  const places: Readonly<Record<string, string>> = {
    host,
    user: encoded(fields.user),
    password: encoded(fields.password),
    channel: fields.channel === "" ? "1" : encoded(fields.channel),
    name: encoded(fields.name),
  };
  const words = { main: t("find.main"), small: t("find.small"), picture: t("find.picture") };
  return addresses.map(({ kind, label, url }) => {
    const signed = fields.user === "" ? url.replace("{user}:{password}@", "") : url;
    return {
      kind,
      label: words[label],
      url: signed.replaceAll(/\{(\w+)\}/g, (whole, place: string) => places[place] ?? whole),
    };
  });
}

/** Like encodeURIComponent, and also encodes what that leaves: some firmware takes these for the end of a sign-in. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
