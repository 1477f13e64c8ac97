import { ApiError, badRequest } from '../api-error.js';
import type { ApiRequest } from '../exchange.js';
import { isJsonObject, type JsonObject } from '../json/json-object.js';
import { jsonPatch } from '../patch/json-patch.js';
import { mergePatch } from '../patch/merge-patch.js';
import { goMap, strategicMergePatch } from '../patch/strategic-merge-patch.js';
import { objectKey, type ServedResource } from '../resources/served-resource.js';
import { fieldProblems } from '../schema/duplicate-fields.js';
import { validatePatched } from '../schema/field-validation.js';
import type { ServerContext } from '../server-context.js';
import { commitUpdate } from './commit-update.js';
import { jsonProblem, mediaTypeOf } from './decode-body.js';
import { existing, type ObjectAddress, type Written } from './update.js';
import type { WriteOptions } from './write-options.js';

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

/** Returns what is wrong with the patch itself: fields that it has twice, and fields of a JSON patch that mean nothing. */
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

/** What a patch of this media type does; throws 415 for one that the resource does not know. */
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
