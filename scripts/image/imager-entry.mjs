// @ts-check
/**
 * imager-entry.mjs IMAGE.img.zst VERSION RAW-BYTES RAW-SHA256: the list entry for Raspberry Pi Imager's "Use
 * custom repository", so that its settings dialog writes rpi-preseed.toml for this image. Set `url` to the address that
 * serves the image.
 */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";

const [, , file = "", version, rawBytes, rawHash] = process.argv;
const entry = {
  name: `Gatehouse ${version}`,
  description: "A home hub that also keeps the gate. Works without internet.",
  icon: "",
  url: basename(file),
  extract_size: Number(rawBytes),
  extract_sha256: rawHash,
  image_download_size: statSync(file).size,
  image_download_sha256: createHash("sha256").update(readFileSync(file)).digest("hex"),
  release_date: new Date(Number(process.env.SOURCE_DATE_EPOCH ?? 0) * 1_000).toISOString().slice(0, 10),
  init_format: "rpi-preseed",
  architecture: "armv8",
  devices: ["pi3-64bit", "pi4-64bit", "pi5-64bit"],
};
console.log(JSON.stringify({ os_list: [entry] }, null, 2));
