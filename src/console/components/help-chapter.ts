/** Which chapter of the manual belongs to which page. */

/** The chapter of the manual about the pages below a path; the first that fits. */
const CHAPTERS: readonly (readonly [under: string, chapter: string])[] = [
  ["/gate/guests", "using-gatehouse#the-gate"],
  ["/gate/cameras", "gate"],
  ["/gate", "using-gatehouse#the-gate"],
  ["/automations", "using-gatehouse#automations-and-scenes"],
  ["/history", "using-gatehouse#history"],
  ["/energy", "using-gatehouse#home"],
  ["/scenes", "using-gatehouse#automations-and-scenes"],
  ["/notifications", "notifications"],
  ["/developer", "client-guide"],
  ["/system/persons", "using-gatehouse#the-people-of-the-house"],
  ["/system/bridge", "devices-of-other-makes"],
  ["/system/mqtt", "devices-of-other-makes"],
  ["/system/matter", "matter"],
  ["/system/settings", "settings"],
  ["/system/backups", "appliance"],
  ["/system/updates", "appliance"],
  ["/system/log", "appliance"],
  ["/system", "using-gatehouse#looking-after-it"],
];

/** The chapter about a page, with the part of it: `using-gatehouse#the-gate`. */
export function chapterOf(path: string): string {
  return CHAPTERS.find(([under]) => path.startsWith(under))?.[1] ?? "using-gatehouse";
}

/** The fragment of a heading, as links within the manual write it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, "")
    .trim()
    .replaceAll(/\s+/g, "-");
}
