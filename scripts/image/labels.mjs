// @ts-check
/**
 * Sheets of labels for hubs: name, address, claim code and a QR code of the address, twenty-four on a page of A4 (70
 * by 37 mm each, a common size of label sheets), at 300 dots per inch. As PNG, one file for each page, and all pages
 * as one PDF.
 */
import qrcode from "qrcode";
import sharp from "sharp";

const DPI = 300;
const dots = (/** @type {number} */ millimetres) => Math.round((millimetres / 25.4) * DPI);
const PAGE = { width: dots(210), height: dots(297), columns: 3, rows: 8, top: dots(0.5) };
const LABEL = { width: dots(70), height: dots(37), margin: dots(4), code: dots(27) };
const PER_PAGE = PAGE.columns * PAGE.rows;

/** @typedef {{ card: number, hostname: string, address: string, claimCode: string }} Card */

/**
 * The sheets of a batch, as files.
 * @param {readonly Card[]} cards
 * @returns {Promise<{ name: string, content: Buffer }[]>} labels-1.png …, then labels.pdf
 */
export async function labelSheets(cards) {
  /** @type {Buffer[]} */
  const pages = [];
  for (let first = 0; first < cards.length; first += PER_PAGE)
    pages.push(await pageOf(cards.slice(first, first + PER_PAGE)));
  const files = pages.map((content, index) => ({ name: `labels-${index + 1}.png`, content }));
  const pictures = await Promise.all(
    pages.map((page) => sharp(page).jpeg({ quality: 92, chromaSubsampling: "4:4:4" }).toBuffer()),
  );
  return [...files, { name: "labels.pdf", content: pdfOf(pictures) }];
}

/** The address in a label's code: the hub's name, or its fixed address. @param {Card} card */
function addressOf({ hostname, address }) {
  return address === "" ? `http://${hostname}.local` : `http://${address.split("/")[0]}`;
}

/** @param {readonly Card[]} cards */
async function pageOf(cards) {
  const labels = cards.map((card, index) => {
    const x = (index % PAGE.columns) * LABEL.width;
    const y = PAGE.top + Math.floor(index / PAGE.columns) * LABEL.height;
    return `<g transform="translate(${x} ${y})">${labelOf(card)}</g>`;
  });
  const { width, height } = PAGE;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="${width}" height="${height}" fill="white"/>${labels.join("")}</svg>`;
  return sharp(Buffer.from(svg)).withMetadata({ density: DPI }).png({ compressionLevel: 9 }).toBuffer();
}

/** @param {Card} card */
function labelOf(card) {
  const { width, height, margin, code } = LABEL;
  const text = (
    /** @type {number} */ line,
    /** @type {number} */ size,
    /** @type {string} */ content,
    family = "sans-serif",
  ) => {
    // a long name is set smaller, not cut off
    const fitting = Math.min(size, ((width - code - 3 * margin) / content.length) * 1.65);
    return `<text x="${margin}" y="${dots(line)}" font-family="${family}" font-size="${Math.round(fitting)}">${escaped(content)}</text>`;
  };
  return [
    text(10, dots(5), card.hostname),
    text(17, dots(3.4), addressOf(card)),
    text(24, dots(3), "Claim code"),
    text(30, dots(5), card.claimCode, "monospace"),
    text(34.5, dots(2.4), `No. ${card.card}`),
    `<g transform="translate(${width - margin - code} ${(height - code) / 2})">${qrOf(addressOf(card), code)}</g>`,
  ].join("");
}

/**
 * Squares of a QR code, `size` dots wide with the quiet zone around it.
 * @param {string} content
 * @param {number} size
 */
function qrOf(content, size) {
  const { modules } = qrcode.create(content, { errorCorrectionLevel: "M" });
  const quiet = 2;
  const dot = Math.floor(size / (modules.size + 2 * quiet));
  /** @type {string[]} */
  const squares = [];
  for (let row = 0; row < modules.size; row++)
    for (let column = 0; column < modules.size; column++)
      if (modules.get(row, column))
        squares.push(`M${(column + quiet) * dot} ${(row + quiet) * dot}h${dot}v${dot}h-${dot}z`);
  return `<path fill="black" d="${squares.join("")}"/>`;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/**
 * A PDF whose pages are JPEG pictures of A4; only the parts that this needs (ISO 32000-1 §7.5 and §8.9).
 * @param {Buffer[]} pictures
 */
function pdfOf(pictures) {
  const [width, height] = [595.28, 841.89]; // A4 in points
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pictures.length} /Kids [${pictures.map((_, index) => `${3 + index * 3} 0 R`).join(" ")}] >>`,
  ].map((body) => Buffer.from(body));
  for (const [index, picture] of pictures.entries()) {
    const page = 3 + index * 3;
    const [content, image] = [page + 1, page + 2];
    const drawing = `${width} 0 0 ${height} 0 0 cm /P Do`;
    objects.push(
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Resources << /XObject << /P ${image} 0 R >> >> /Contents ${content} 0 R >> % ${page}`,
      ),
      Buffer.from(`<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`),
      Buffer.concat([
        Buffer.from(
          `<< /Type /XObject /Subtype /Image /Width ${PAGE.width} /Height ${PAGE.height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode /Length ${picture.length} >>\nstream\n`,
        ),
        picture,
        Buffer.from("\nendstream"),
      ]),
    );
  }
  const head = Buffer.from("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", "latin1");
  const parts = [head];
  /** @type {number[]} */
  const offsets = [];
  let at = head.length;
  for (const [index, body] of objects.entries()) {
    const object = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), body, Buffer.from("\nendobj\n")]);
    offsets.push(at);
    at += object.length;
    parts.push(object);
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}
