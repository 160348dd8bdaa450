import {
  XmlElement as ElementNode,
  type XmlElement as ParsedElement,
  parseXml as parsed,
  XmlError,
  XmlText,
} from "@rgrove/parse-xml";

/** One element of an XML document; names are without their prefix, since every maker uses other ones. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Its own text, trimmed. */
  readonly text: string;
}

/** The text is not XML, or larger than a camera has reason to send. */
export class BadXml extends Error {
  override readonly name = "BadXml";
}

/** The most that is read. Reading takes time with every tag and every reference, far less with plain text. */
export interface XmlLimits {
  readonly characters: number;
  /** Tags (closing ones too), attributes and references. */
  readonly marks: number;
}

/** A camera's answer: one that describes three profiles has about 15 KB and 600 marks. */
export const ANSWER_LIMITS: XmlLimits = { characters: 256 * 1024, marks: 8_000 };
/** One datagram of a search: what cameras send has 2 to 4 KB. */
export const DATAGRAM_LIMITS: XmlLimits = { characters: 16 * 1024, marks: 500 };

const MAX_DEPTH = 64;

/**
 * Reads a small XML document as SOAP uses it. Document types and entity declarations are refused: no camera's answer
 * needs them, and they are how a small document becomes a large one. Size and depth are known before it is parsed.
 * @throws BadXml
 */
export function parseXml(xml: string, limits: XmlLimits = ANSWER_LIMITS): XmlElement {
  if (xml.length > limits.characters || !isBounded(xml, limits.marks)) throw new BadXml("the document is too large");
  if (/<!doctype/i.test(xml)) throw new BadXml("document types are not taken");
  try {
    // The parser itself replaces line ends one by one, each time copying the document.
    const { root } = parsed(xml.replaceAll(/\r\n?/g, "\n"), { ignoreUndefinedEntities: true });
    if (root === null) throw new BadXml("the document is empty");
    return plain(root);
  } catch (error) {
    if (error instanceof XmlError) throw new BadXml("the document is not well-formed", { cause: error });
    throw error;
  }
}

/** Counts marks and depth in the raw text; what looks like a tag in a comment counts too. */
function isBounded(xml: string, most: number): boolean {
  let marks = 0;
  let depth = 0;
  for (let at = 0; at < xml.length; at++) {
    const code = xml.charCodeAt(at);
    if (code !== LESS && code !== AMPERSAND && code !== SLASH && code !== EQUALS) continue;
    if (code === SLASH) {
      if (xml.charCodeAt(at + 1) === GREATER) depth -= 1;
      continue;
    }
    if (++marks > most) return false;
    if (code !== LESS) continue;
    const next = xml.charCodeAt(at + 1);
    if (next === SLASH) depth -= 1;
    else if (next !== EXCLAMATION && next !== QUESTION) depth += 1;
    if (depth > MAX_DEPTH) return false;
  }
  return true;
}

const [LESS, AMPERSAND, SLASH, EQUALS, GREATER, EXCLAMATION, QUESTION] = [0x3c, 0x26, 0x2f, 0x3d, 0x3e, 0x21, 0x3f];

function plain(element: ParsedElement): XmlElement {
  const children: XmlElement[] = [];
  let text = "";
  for (const node of element.children) {
    if (node instanceof ElementNode) children.push(plain(node));
    else if (node instanceof XmlText) text += node.text; // CDATA too
  }
  const attributes = Object.fromEntries(
    Object.entries(element.attributes).map(([name, value]) => [localName(name), value]),
  );
  return { name: localName(element.name), attributes, children, text: text.trim() };
}

function localName(tag: string): string {
  return tag.slice(tag.indexOf(":") + 1);
}

/** The first element with this name, at any depth, in document order; null when there is none. */
export function first(element: XmlElement | null, name: string): XmlElement | null {
  for (const child of element?.children ?? []) {
    const found = child.name === name ? child : first(child, name);
    if (found !== null) return found;
  }
  return null;
}

/** Every element with this name, at any depth. */
export function all(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...all(child, name)]);
}

/** Text of the first element with this name; null when there is none, or it is empty. */
export function textOf(element: XmlElement | null, name: string): string | null {
  return first(element, name)?.text || null;
}

/** Escapes text for a document. */
export function escaped(text: string): string {
  return text.replaceAll(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
