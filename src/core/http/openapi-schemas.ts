import type { TSchema } from "typebox";

/** A plain JSON object of the document. */
export type Json = { [key: string]: unknown };

const PREFIX = "#/components/schemas/";

/**
 * Turns TypeBox schemas into OpenAPI ones. A schema with a `title` becomes a component of that name, and every place
 * that uses it a reference to it.
 */
export class SchemaComponents {
  readonly #components = new Map<string, Json>();
  /** JSON text of each component's source, to notice two different schemas under one title. */
  readonly #sources = new Map<string, string>();
  readonly #definitions: Readonly<Record<string, TSchema>>;

  constructor(definitions: Readonly<Record<string, TSchema>>) {
    this.#definitions = definitions;
  }

  /** All components by name. */
  all(): Json {
    return Object.fromEntries([...this.#components].sort(([left], [right]) => left.localeCompare(right)));
  }

  /** The schema as it appears in the document where it is used. */
  convert(schema: TSchema): unknown {
    return this.#value(schema);
  }

  /** Makes sure that a titled schema is a component, and refers to it. @throws Error when another one has its title. */
  reference(schema: TSchema): Json {
    const { title } = schema as { title?: string }; // TypeBox objects are plain JSON Schema
    if (title === undefined) throw new Error("only a schema with a title can be a component");
    const source = JSON.stringify(schema);
    const known = this.#sources.get(title);
    if (known !== undefined && known !== source) throw new Error(`two different schemas are titled ${title}`);
    if (known === undefined) {
      this.#sources.set(title, source);
      this.#components.set(title, {}); // holds the name while the schema's own parts are converted
      this.#components.set(title, this.#object(schema as Json)); // TypeBox objects are plain JSON Schema
    }
    return { $ref: PREFIX + title };
  }

  #value(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#value(item));
    if (typeof value !== "object" || value === null) return value;
    const schema = value as Json; // a plain object
    if (typeof schema.$ref === "string") return this.#named(schema.$ref);
    if (typeof schema.title === "string" && schema.type !== undefined) return this.reference(schema);
    return this.#object(schema);
  }

  #object(schema: Json): Json {
    const isText = schema["x-text"] === true;
    const result: Json = {};
    for (const [key, value] of Object.entries(schema)) {
      // described in prose: generators of test data cannot make text from it
      if (key === "x-text" || key === "x-from-link" || (key === "pattern" && isText)) continue;
      result[key] = VERBATIM.has(key) ? value : this.#value(value);
    }
    if (isText) result.description = `${String(schema.description ?? "")} Trimmed; without control characters.`.trim();
    const variants = schema.oneOf;
    if (typeof schema.discriminator === "object" && Array.isArray(variants))
      result.discriminator = {
        ...schema.discriminator,
        mapping: mapping(variants, (schema.discriminator as { propertyName: string }).propertyName),
      };
    return result;
  }

  #named(name: string): Json {
    const definition = this.#definitions[name];
    if (!definition) throw new Error(`no schema is named ${name}`);
    return this.reference(definition);
  }
}

/** Keywords whose values are data, not schemas. */
const VERBATIM = new Set(["examples", "example", "default", "enum", "const", "required", "discriminator"]);

/** Which variant each value of the discriminating member stands for. */
function mapping(variants: readonly unknown[], member: string): Json {
  return Object.fromEntries(
    variants.flatMap((variant) => {
      const { title, properties } = variant as {
        title: string;
        properties: Record<string, { const?: string; enum?: string[] }>;
      }; // a discriminated union's variants look like this
      const words = properties[member]?.enum ?? [properties[member]?.const ?? ""];
      return words.map((word) => [word, PREFIX + title]);
    }),
  );
}
