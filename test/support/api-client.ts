import { type IncomingHttpHeaders, request } from "node:http";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { QUICKLY_COMPILED } from "../../src/core/api/quickly-compiled.ts";

/** What a request may carry. */
export interface CallOptions {
  /** API key, sent as a bearer token. */
  readonly key?: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent unchanged. */
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** A response validated against the OpenAPI document. */
export interface CallAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies that the document has just been checked against
  readonly body: any;
  readonly bytes: Buffer;
}

interface ResponseDocument {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly "x-problem-codes"?: readonly string[];
}

interface OperationDocument {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, ResponseDocument>>;
}

/** The parts of an OpenAPI document that concern responses. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationDocument>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** Headers of HTTP itself, CORS and the security rules; no operation declares them. */
const COMMON_HEADERS = new Set([
  "access-control-allow-headers",
  "access-control-allow-methods",
  "access-control-allow-origin",
  "access-control-expose-headers",
  "access-control-max-age",
  "allow",
  "cache-control",
  "connection",
  "strict-transport-security", // on any response over TLS
  "content-length",
  "content-security-policy",
  "content-type",
  "cross-origin-resource-policy",
  "date",
  "keep-alive",
  "last-modified",
  "referrer-policy",
  "set-cookie",
  "transfer-encoding",
  "vary",
  "x-content-type-options",
]);
/** Responses that no operation lists: the path, the method or the HTTP itself was wrong. */
const OUTSIDE_OPERATIONS = new Set([
  "route_not_found",
  "method_not_allowed",
  "headers_too_large",
  "request_timeout",
  "invalid_request",
  "host_not_allowed",
]);

/**
 * A plain HTTP client that checks every response against the OpenAPI document: status, media type, headers and body
 * must be declared, bodies may have no undeclared member, error codes must be listed for the operation.
 */
export class ApiClient {
  readonly #port: number;
  readonly #document: ApiDocument;
  readonly #schemas: Ajv2020;
  readonly #compiled: Map<string, ValidateFunction>;
  /** `METHOD path status` of everything seen, for coverage. */
  readonly seen = new Set<string>();

  constructor(port: number, document: ApiDocument) {
    this.#port = port;
    this.#document = document;
    ({ schemas: this.#schemas, compiled: this.#compiled } = validatorsOf(document.components.schemas));
  }

  get(path: string, options: CallOptions = {}): Promise<CallAnswer> {
    return this.call("GET", path, options);
  }

  post(path: string, options: CallOptions = {}): Promise<CallAnswer> {
    return this.call("POST", path, options);
  }

  patch(path: string, options: CallOptions = {}): Promise<CallAnswer> {
    return this.call("PATCH", path, options);
  }

  delete(path: string, options: CallOptions = {}): Promise<CallAnswer> {
    return this.call("DELETE", path, options);
  }

  /** Sends a request and checks the response. @throws Error that names what the document does not declare. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<CallAnswer> {
    const answer = await send(this.#port, method, path, options);
    this.#check(method, path, answer);
    return answer;
  }

  #check(method: string, path: string, answer: CallAnswer): void {
    const where = `${method} ${path} → ${answer.status}`;
    const template = this.#template(path.split("?")[0] ?? "");
    const operation =
      template === null
        ? undefined
        : this.#document.paths[template]?.[(method === "HEAD" ? "GET" : method).toLowerCase()];
    if (answer.headers["x-request-id"] === undefined) throw new Error(`${where}: no X-Request-Id`);
    if (method === "OPTIONS" && answer.status === 204) return;
    const code: unknown = answer.body?.error?.code;
    if (answer.status >= 400 && method !== "HEAD")
      this.#checkShape(where, this.#document.components.schemas.Error ?? {}, answer.body, "Error");
    if (typeof code === "string" && OUTSIDE_OPERATIONS.has(code)) return;
    if (method === "OPTIONS") return;
    // no body that could name the code
    if (method === "HEAD" && operation === undefined && (answer.status === 404 || answer.status === 405)) return;
    if (operation === undefined) throw new Error(`${where}: no such operation is described`);
    const response = operation.responses[String(answer.status)];
    if (response === undefined)
      throw new Error(`${where}: ${operation.operationId} does not declare this status (${String(code)})`);
    this.seen.add(`${operation.operationId} ${answer.status}${typeof code === "string" ? ` ${code}` : ""}`);
    if (typeof code === "string" && !response["x-problem-codes"]?.includes(code))
      throw new Error(`${where}: ${operation.operationId} does not declare ${code}`);
    const declared = new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase()));
    for (const name of Object.keys(answer.headers))
      if (!COMMON_HEADERS.has(name) && !declared.has(name))
        throw new Error(`${where}: the header ${name} is not declared`);
    if (method === "HEAD" || answer.status === 304 || answer.status >= 400) return;
    const fullType = String(answer.headers["content-type"]);
    const mediaType = fullType.split(";")[0] ?? "";
    const content = response.content?.[mediaType] ?? response.content?.[fullType]; // with or without its parameters
    if (content === undefined) throw new Error(`${where}: the media type ${mediaType} is not declared`);
    if (mediaType === "application/json" && content.schema)
      this.#checkShape(where, content.schema, answer.body, operation.operationId);
  }

  #checkShape(where: string, schema: object, body: unknown, name: string): void {
    const key = JSON.stringify(schema);
    const validate = this.#compiled.get(key) ?? this.#schemas.compile(absolute(close(schema)) as object);
    this.#compiled.set(key, validate);
    if (!validate(body))
      throw new Error(
        `${where}: the body is not as ${name} declares: ${JSON.stringify(validate.errors?.slice(0, 3))}\n${JSON.stringify(body)?.slice(0, 500)}`,
      );
  }

  #template(path: string): string | null {
    const segments = path.split("/");
    const fits = (template: string): boolean => {
      const parts = template.split("/");
      return (
        parts.length === segments.length &&
        parts.every((part, i) => part === segments[i] || (part.startsWith("{") && segments[i] !== ""))
      );
    };
    return (
      Object.keys(this.#document.paths).find((template) => template === path) ??
      Object.keys(this.#document.paths).find(fits) ??
      null
    );
  }
}

/** Validators of one document's schemas. */
interface Validators {
  readonly schemas: Ajv2020;
  /** By the schema's text. */
  readonly compiled: Map<string, ValidateFunction>;
}

const known = new WeakMap<object, Validators>();

/** The validators compiled for a document serve all hubs checked against it. */
function validatorsOf(schemas: object): Validators {
  const made = known.get(schemas);
  if (made !== undefined) return made;
  const ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: false, ...QUICKLY_COMPILED });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "doc", components: { schemas: close(schemas) } });
  const validators = { schemas: ajv, compiled: new Map<string, ValidateFunction>() };
  known.set(schemas, validators);
  return validators;
}

/** Schemas of a document that violate the meta-schema; {@link ApiClient} does not check that. */
export function wrongSchemas(document: ApiDocument): object[] {
  const meta = new Ajv2020({ strict: false });
  const ofAnswers = Object.values(document.paths)
    .flatMap((place) => Object.values(place))
    .flatMap(({ responses }) => Object.values(responses))
    .flatMap(({ content = {} }) => Object.values(content).flatMap(({ schema }) => schema ?? []));
  return [...Object.values(document.components.schemas), ...ofAnswers].filter((schema) => !meta.validateSchema(schema));
}

const documents = new Map<string, ApiDocument>();

/**
 * The OpenAPI document that hubs serve at `path`. It is made from the routes of the build alone, so the first hub of a
 * process is asked: making it takes up to a fifth of a short test's processor time.
 */
export async function apiDocument(port: number, path: string): Promise<ApiDocument> {
  const document = documents.get(path) ?? ((await send(port, "GET", path)).body as ApiDocument); // ApiClient checks responses against it
  documents.set(path, document);
  return document;
}

/** Sends one request; the Host header and everything else may be set freely. */
export function send(port: number, method: string, path: string, options: CallOptions = {}): Promise<CallAnswer> {
  const body = options.json === undefined ? options.body : JSON.stringify(options.json);
  const headers = {
    ...(options.key === undefined ? {} : { Authorization: `Bearer ${options.key}` }),
    ...(options.json === undefined ? {} : { "Content-Type": "application/json" }),
    ...(body === undefined || options.headers?.["Transfer-Encoding"]
      ? {}
      : { "Content-Length": String(Buffer.byteLength(body)) }), // Node frames no body of a DELETE by itself
    ...options.headers,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: "127.0.0.1", port, method, path, headers, agent: false, setHost: !("Host" in headers) },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const bytes = Buffer.concat(chunks);
          const isJson = String(response.headers["content-type"]).startsWith("application/json") && bytes.length > 0;
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            bytes,
            body: isJson ? JSON.parse(bytes.toString("utf8")) : null,
          });
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** Objects with members are treated as closed, so that an undescribed member is detected. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, close(value)]);
  // of a union each variant is closed
  const isOpen = "properties" in schema && !("additionalProperties" in schema) && !("oneOf" in schema);
  return Object.fromEntries(isOpen ? [...entries, ["additionalProperties", false]] : entries);
}

/** References of one schema of the document, as seen from outside it. */
function absolute(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"doc#/components/'));
}
