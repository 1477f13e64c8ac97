import { parse as parseYaml } from 'yaml';
import { ApiError, badRequest, invalid } from '../api-error.js';
import type { ApiRequest } from '../exchange.js';
import { isJsonObject, objectAt, stringAt, type JsonObject } from '../json/json-object.js';
import { apiVersionOf, type ServedResource } from '../resources/served-resource.js';
import { assertMetadataTypes } from './metadata-types.js';

/** The object in the body of a POST or PUT; refuses what is no object of this kind. */
export function decodeObject(request: ApiRequest, resource: ServedResource): JsonObject {
  const value = decodeBody(request, `must be of type ${resource.kind}`);
  return assertKind(value, resource, request.body);
}

/** Stamps kind and apiVersion where a built-in object has none, and refuses others. */
export function assertKind(value: JsonObject, resource: ServedResource, text: string): JsonObject {
  const kind = stringAt(value, 'kind') ?? '';
  const apiVersion = stringAt(value, 'apiVersion') ?? '';
  const expected = apiVersionOf(resource);
  if (resource.custom) {
    if (kind === '') {
      throw badRequest(
        `the object provided is unrecognized (must be of type ${resource.kind}): Object 'Kind' is missing in '${text}' (${excerpt(text)})`,
      );
    }
    if (kind !== resource.kind) {
      const subject = { group: resource.group, kind, name: stringAt(objectAt(value, 'metadata'), 'name') ?? '' };
      throw invalid(subject, [
        { reason: 'FieldValueInvalid', field: 'kind', message: `Invalid value: "${kind}": must be ${resource.kind}` },
      ]);
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
  if (!resource.custom) assertMetadataTypes(resource, value);
  return { ...value, apiVersion: expected, kind: resource.kind };
}

function decodeBody(request: ApiRequest, expectation: string): JsonObject {
  const contentType = mediaTypeOf(request);
  const unrecognized = (problem: string): Error =>
    badRequest(
      `the object provided is unrecognized (${expectation}): couldn't get version/kind; ${problem} (${excerpt(request.body)})`,
    );
  if (contentType !== 'application/json' && contentType !== 'application/yaml') {
    throw new ApiError(
      415,
      'UnsupportedMediaType',
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml',
    );
  }
  const value = contentType === 'application/yaml' ? decodeYaml(request.body) : decodeJson(request.body, unrecognized);
  // As in Go, null decodes into an object without fields.
  if (value === null) return {};
  if (isJsonObject(value)) return value;
  throw unrecognized('json parse error: the body is no JSON object');
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

/** The real server's words for a body that ends too early; for anything else the parser's own. */
export function jsonProblem(error: unknown, text: string): string {
  if (isCutOff(text)) return 'unexpected end of JSON input';
  return error instanceof Error ? error.message : String(error);
}

/** Whether something is still open at the end. */
function isCutOff(text: string): boolean {
  const outsideStrings = text.replace(/"(?:\\.|[^"\\])*"/gs, '');
  const count = (pattern: RegExp): number => (outsideStrings.match(pattern) ?? []).length;
  return text.trim() === '' || count(/[[{]/g) > count(/[\]}]/g);
}

export function decodeYaml(text: string): unknown {
  try {
    return parseYaml(text) as unknown;
  } catch (error) {
    // The first line says what and where; the rest quotes the text.
    const [problem = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw badRequest(`error decoding YAML: error converting YAML to JSON: yaml: ${problem}`);
  }
}

function excerpt(text: string): string {
  if (text === '') return '<empty>';
  return text.length > 30 ? `${text.slice(0, 30)} ...` : text;
}
