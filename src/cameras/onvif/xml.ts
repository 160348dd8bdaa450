/** One element of an XML document; names are without their prefix, since every maker uses other ones. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Its own text, trimmed. */
  readonly text: string;
}

/** The text is no XML, or more of it than a camera has reason to send. */
export class BadXml extends Error {
  override readonly name = "BadXml";
}

interface Building {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Building[];
  text: string;
}

const MAX_ELEMENTS = 20_000;
const MAX_DEPTH = 64;
const MAX_TAG = 4_000;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/**
 * Reads a small XML document as SOAP uses it. Document types and entities of one's own are refused: no answer of a camera needs them,
 * and they are how a small document becomes a large one. Takes linear time for whatever is given.
 * @throws BadXml.
 */
export function parseXml(xml: string): XmlElement {
  const root: Building = { name: "", attributes: {}, children: [], text: "" };
  const open: Building[] = [root];
  let count = 0;
  let at = 0;
  while (at < xml.length) {
    const parent = open.at(-1) ?? root;
    const start = xml.indexOf("<", at);
    parent.text += decoded(xml.slice(at, start < 0 ? xml.length : start));
    if (start < 0) break;
    const { end, data, tag } = markupAt(xml, start);
    at = end;
    parent.text += data;
    if (tag === null) continue;
    if (tag.startsWith("/")) {
      if (open.length === 1 || parent.name !== localName(tag.slice(1).trim())) throw new BadXml("a closing tag closes nothing");
      open.pop();
      continue;
    }
    count += 1;
    if (count > MAX_ELEMENTS || open.length > MAX_DEPTH) throw new BadXml("the document is too large");
    const element = elementOf(tag);
    parent.children.push(element);
    if (!tag.endsWith("/")) open.push(element);
  }
  const [only] = root.children;
  if (open.length !== 1 || only === undefined || root.children.length > 1 || root.text.trim() !== "") throw new BadXml("the document is not well-formed");
  return trimmed(only);
}

/** What begins with the `<` at `start`: where it ends, the text that it stands for, and the inside of a tag. */
function markupAt(xml: string, start: number): { readonly end: number; readonly data: string; readonly tag: string | null } {
  const until = (mark: string): number => {
    const found = xml.indexOf(mark, start);
    if (found < 0) throw new BadXml("the document is cut off");
    return found;
  };
  if (xml.startsWith("<!--", start)) return { end: until("-->") + 3, data: "", tag: null };
  if (xml.startsWith("<?", start)) return { end: until("?>") + 2, data: "", tag: null };
  if (xml.startsWith("<![CDATA[", start)) {
    const end = until("]]>");
    return { end: end + 3, data: xml.slice(start + 9, end), tag: null };
  }
  if (xml.startsWith("<!", start)) throw new BadXml("document types are not taken");
  const end = until(">"); // a `>` inside a value is legal, and no camera writes it
  return { end: end + 1, data: "", tag: xml.slice(start + 1, end) };
}

function elementOf(tag: string): Building {
  const space = tag.search(/[\s/]/);
  const name = localName(space < 0 ? tag : tag.slice(0, space));
  if (name === "" || tag.length > MAX_TAG) throw new BadXml("a tag is not well-formed");
  return { name, attributes: space < 0 ? {} : attributesOf(tag.slice(space)), children: [], text: "" };
}

/** The first element of this name, at any depth, in order of the document; null when there is none. */
export function first(element: XmlElement | null, name: string): XmlElement | null {
  return element === null ? null : (all(element, name)[0] ?? null);
}

/** Every element of this name, at any depth. */
export function all(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...all(child, name)]);
}

/** Text of the first element of this name; null when there is none, or nothing in it. */
export function textOf(element: XmlElement | null, name: string): string | null {
  return first(element, name)?.text || null;
}

/** Text for use in a document. */
export function escaped(text: string): string {
  return text.replaceAll(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function trimmed({ name, attributes, children, text }: Building): XmlElement {
  return { name, attributes, children: children.map(trimmed), text: text.trim() };
}

function localName(tag: string): string {
  return tag.slice(tag.indexOf(":") + 1);
}

function attributesOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(ATTRIBUTE)].map(([, name = "", double, single]) => [localName(name), decoded(double ?? single ?? "")]));
}

function decoded(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(#x?[0-9a-f]{1,6}|\w{1,8});/gi, (whole, reference: string) => {
    if (!reference.startsWith("#")) return ENTITIES[reference] ?? whole;
    const code = /^#x/i.test(reference) ? Number.parseInt(reference.slice(2), 16) : Number.parseInt(reference.slice(1), 10);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });
}
