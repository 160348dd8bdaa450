/** Formats in which the hub takes pictures. */
type PictureFormat = "jpeg" | "png" | "webp";

const PNG = "\x89PNG\r\n\x1a\n";
const LONGEST_MARK = 12;

/**
 * A file's format by its first bytes; null for any other. Checked before decoding: the decoder knows many more formats,
 * some of which are programs (an SVG of 3 KB can keep a thread of the hub busy for hours).
 */
export function pictureFormat(file: Uint8Array): PictureFormat | null {
  const mark = Buffer.from(file.subarray(0, LONGEST_MARK)).toString("latin1");
  if (mark.startsWith("\xff\xd8\xff")) return "jpeg";
  if (mark.startsWith(PNG)) return "png";
  return mark.startsWith("RIFF") && mark.endsWith("WEBP") ? "webp" : null;
}
