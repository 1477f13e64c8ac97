import { ApiError, badRequest } from '../api-error.js';
import type { ApiRequest } from '../exchange.js';
import { isJsonObject, type JsonObject } from '../json.js';
import { goMap, strategicMergePatch } from './strategic-merge-patch.js';
import { objectKey, type ServedResource } from '../resources/catalog.js';
import { fieldProblems } from '../schema/check-fields.js';
import { validatePatched } from '../schema/field-validation.js';
import type { ServerContext } from '../server-context.js';
import { commitUpdate, existing, type ObjectAddress, type Written } from './update.js';
import { jsonProblem, mediaTypeOf } from './decode-body.js';
import type { WriteOptions } from './write-options.js';
import type { Operation } from 'rfc6902';
import { optionalPackage } from '../optional-packages.js';

/** Applies the patch in the body, by its content type. */
export function patch(
  context: ServerContext,
  address: ObjectAddress,
  request: ApiRequest,
  options: WriteOptions,
): Written {
  const { resource, namespace, name, subresource } = address;
  const mediaType = mediaTypeOf(request);
  const apply = patchFunction(mediaType, resource);
  const current = existing(context, address);
  const given = decodePatch(request.body);
  const desired = apply(current, given);
  if (!isJsonObject(desired)) throw badRequest('the patch makes something else of the object');
  const problems = options.fieldValidation === 'Ignore' ? [] : problemsOfPatch(mediaType, request.body, given);
  const shown = (): string =>
    mediaType === strategicType && isJsonObject(given) ? goMap(given) : JSON.stringify(desired);
  const { object, warnings } = validatePatched(resource, desired, { problems, shown }, options.fieldValidation);
  const stored = commitUpdate(context, resource, objectKey(namespace, name), current, object, {
    manager: options.fieldManager,
    subresource,
    dryRun: options.dryRun,
    method: 'PATCH',
  });
  return { object: stored, warnings };
}

/**
 * Returns the problems of the patch itself: duplicate fields, and fields without a meaning in a
 * JSON Patch.
 */
function problemsOfPatch(mediaType: string, text: string, patch: unknown): readonly string[] {
  const isJsonPatch = mediaType === jsonPatchType && Array.isArray(patch);
  const unknown = isJsonPatch
    ? (patch as readonly unknown[]).flatMap((operation, index) =>
        isJsonObject(operation)
          ? Object.keys(operation)
              .filter((field) => !operationFields.has(field))
              .map((field) => `[${index}].${field}`)
          : [],
      )
    : [];
  return fieldProblems(text, new Set(unknown)).map(
    ({ problem, path }) => `${isJsonPatch ? 'json patch ' : ''}${problem} field ${JSON.stringify(path)}`,
  );
}

const jsonPatchType = 'application/json-patch+json';
const strategicType = 'application/strategic-merge-patch+json';
const operationFields = new Set(['op', 'path', 'from', 'value']);

/**
 * Returns the function that applies a patch of this media type.
 *
 * @throws ApiError 415 for a media type that the resource does not accept
 */
export function patchFunction(
  mediaType: string,
  resource: ServedResource,
): (current: JsonObject, patch: unknown) => unknown {
  switch (mediaType) {
    case jsonPatchType:
      return jsonPatch;
    case 'application/merge-patch+json':
      return (current, value) => mergePatch(current, assertObject(value));
    case strategicType:
      if (!resource.custom) return (current, value) => strategicMergePatch(current, assertObject(value));
      throw unsupported(resource);
    default:
      throw unsupported(resource);
  }
}

function unsupported({ custom }: ServedResource): ApiError {
  return custom
    ? new ApiError(
        415,
        'UnsupportedMediaType',
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      )
    : new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', { details: {} });
}

function assertObject(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  const found = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  throw badRequest(
    `error decoding patch: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
  );
}

export function decodePatch(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw badRequest(`error decoding patch: ${jsonProblem(error, text)}`);
  }
}

const operations = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);

/**
 * Applies a JSON Patch (RFC 6902): all operations or none.
 *
 * @throws ApiError 422 if an operation cannot be applied
 */
export function jsonPatch(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch))
    throw badRequest(
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    );
  for (const operation of patch as readonly unknown[]) {
    if (!isJsonObject(operation) || typeof operation['op'] !== 'string' || !operations.has(operation['op'])) {
      throw badRequest(`invalid operation ${JSON.stringify(operation)}: unsupported operation`);
    }
    if (typeof operation['path'] !== 'string')
      throw badRequest(`invalid operation ${JSON.stringify(operation)}: missing path`);
  }
  const copy = structuredClone(target);
  const failures = optionalPackage('rfc6902', 'a JSON Patch').applyPatch(copy, patch as Operation[]);
  if (failures.every((failure) => failure === null)) return copy;
  throw new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', { details: {} });
}

/** Applies a merge patch (RFC 7386): objects are merged, null removes, everything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const merged: Record<string, unknown> = isJsonObject(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete merged[field];
    else merged[field] = mergePatch(merged[field], value);
  }
  return merged;
}
