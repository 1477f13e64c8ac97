import { optionalPackage } from '../../optional-packages.js';
import { fieldProblem, badRequest, invalid, apiError } from '../exchange/api-error.js';
import type { ApiRequest } from '../exchange/exchange.js';
import { isJsonObject, objectField, stringAt, type JsonObject } from '../exchange/json.js';
import { servedApiVersion, type ServedResource } from '../resources/catalog.js';
import { uniqueJson } from '../schema/check-fields.js';
import { validateBody, type FieldValidation, type Validated } from '../schema/field-validation.js';

/** Reads a POST or PUT, without unknown fields. Throws if it is not an object of this kind. */
export function decodeObject(request: ApiRequest, resource: ServedResource, validation: FieldValidation): Validated {
  const { value, duplicates } = decodeBody(request, `must be of type ${resource.kind}`);
  const object = assertKind(value, resource, request.body);
  return validateBody(resource, object, { text: request.body, value, ...(duplicates && { duplicates }) }, validation);
}

/** Adds a missing kind and apiVersion to a built-in object, and refuses other kinds. */
function assertKind(value: JsonObject, resource: ServedResource, text: string): JsonObject {
  const kind = stringAt(value, 'kind') ?? '';
  const apiVersion = stringAt(value, 'apiVersion') ?? '';
  const expected = servedApiVersion(resource);
  if (resource.custom) {
    if (kind === '') {
      throw badRequest(
        `the object provided is unrecognized (must be of type ${resource.kind}): Object 'Kind' is missing in '${text}' (${excerpt(text)})`,
      );
    }
    if (kind !== resource.kind) {
      const subject = { group: resource.group, kind, name: stringAt(objectField(value, 'metadata'), 'name') ?? '' };
      throw invalid(subject, [fieldProblem('Invalid', 'kind', `"${kind}": must be ${resource.kind}`)]);
    }
  } else if (kind !== '' && kind !== resource.kind) {
    const version = apiVersion.split('/').at(-1) ?? '';
    throw badRequest(
      `${kind} in version "${version}" cannot be handled as a ${resource.kind}: converting (${version}.${kind}) to (${resource.version}.${resource.kind}): unknown conversion`,
    );
  }
  if (apiVersion !== '' && apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  }
  return { ...value, apiVersion: expected, kind: resource.kind };
}

interface Body {
  readonly value: JsonObject;
  /** One sentence for each duplicate key of a YAML body; `undefined` for JSON, checked later. */
  readonly duplicates?: readonly string[];
}

/** Returns the object in a body, of any kind. `expectation` names the expected kind in messages. */
export function decodeBody(request: ApiRequest, expectation: string): Body {
  const contentType = mediaTypeOf(request);
  const unrecognized = (problem: string): Error =>
    badRequest(
      `the object provided is unrecognized (${expectation}): couldn't get version/kind; ${problem} (${excerpt(request.body)})`,
    );
  if (contentType !== 'application/json' && contentType !== 'application/yaml') {
    throw apiError(
      415,
      'UnsupportedMediaType',
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml',
    );
  }
  const yaml = contentType === 'application/yaml' ? decodeYaml(request.body) : undefined;
  const value = yaml === undefined ? decodeJson(request.body, unrecognized) : yaml.value;
  const duplicates = yaml?.duplicates;
  // As in Go, null is decoded as an object without fields.
  if (value === null || isJsonObject(value)) return { value: value ?? {}, ...(duplicates && { duplicates }) };
  throw unrecognized('json parse error: the body is not a JSON object');
}

export function mediaTypeOf(request: ApiRequest): string {
  const [type = ''] = (request.headers['content-type'] ?? 'application/json').split(';');
  return type.trim().toLowerCase();
}

function decodeJson(text: string, fail: (problem: string) => Error): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw fail(`json parse error: ${jsonProblem(error, text)}`);
  }
}

/** Words a body that ends too early as the real server does, other problems as the parser. */
export function jsonProblem(error: unknown, text: string): string {
  if (isCutOff(text)) return 'unexpected end of JSON input';
  return error instanceof Error ? error.message : String(error);
}

/** Returns true if a text is empty, or if an object or array is not closed at its end. */
function isCutOff(text: string): boolean {
  const outsideStrings = text.replace(/"(?:\\.|[^"\\])*"/gs, '');
  const count = (pattern: RegExp): number => (outsideStrings.match(pattern) ?? []).length;
  return text.trim() === '' || count(/[[{]/g) > count(/[\]}]/g);
}

export interface Yaml {
  readonly value: unknown;
  /** In the words of the real server: `line 4: key "name" already set in map`. */
  readonly duplicates: readonly string[];
}

export function decodeYaml(text: string): Yaml {
  const json = uniqueJson(text);
  if (json !== undefined) return { value: json, duplicates: [] };
  const document = optionalPackage('yaml', 'a request with a YAML body').parseDocument(text);
  const isDuplicate = ({ code }: { readonly code: string }): boolean => code === 'DUPLICATE_KEY';
  const problem = document.errors.find((error) => !isDuplicate(error));
  if (problem !== undefined)
    // The first line has the problem and its position; the others quote the text.
    throw badRequest(
      `error decoding YAML: error converting YAML to JSON: yaml: ${problem.message.split('\n')[0] ?? ''}`,
    );
  const duplicates = document.errors.filter(isDuplicate).map(({ pos: [start], linePos }) => {
    const [key = ''] = /^[^:\n]*/.exec(text.slice(start)) ?? [];
    return `line ${linePos?.[0].line ?? 1}: key ${JSON.stringify(key.trim().replace(/^"(.*)"$/, '$1'))} already set in map`;
  });
  return { value: document.toJS() as unknown, duplicates };
}

function excerpt(text: string): string {
  if (text === '') return '<empty>';
  return text.length > 30 ? `${text.slice(0, 30)} ...` : text;
}
