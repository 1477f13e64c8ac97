import { ApiError, badRequest } from '../api-error.js';
import type { ApiRequest } from '../exchange.js';
import { isJsonObject, type JsonObject } from '../json/json-object.js';
import { jsonPatch } from '../patch/json-patch.js';
import { mergePatch } from '../patch/merge-patch.js';
import { strategicMergePatch } from '../patch/strategic-merge-patch.js';
import { objectKey, type ServedResource } from '../resources/served-resource.js';
import type { ServerContext } from '../server-context.js';
import type { StoredObject } from '../storage/stored-object.js';
import { commitUpdate } from './commit-update.js';
import { jsonProblem, mediaTypeOf } from './decode-body.js';
import { existing, type ObjectAddress } from './update.js';
import type { WriteOptions } from './write-options.js';

/** Applies the patch in the body, by its content type. */
export function patch(
  context: ServerContext,
  address: ObjectAddress,
  request: ApiRequest,
  options: WriteOptions,
): StoredObject {
  const { resource, namespace, name, subresource } = address;
  const apply = patchFunction(mediaTypeOf(request), resource);
  const current = existing(context, address);
  const desired = apply(current, decodePatch(request.body));
  if (!isJsonObject(desired)) throw badRequest('the patch makes something else of the object');
  return commitUpdate(context, resource, objectKey(namespace, name), current, desired, {
    manager: options.fieldManager,
    subresource,
    dryRun: options.dryRun,
    method: 'PATCH',
  });
}

/** What a patch of this media type does; throws 415 for one that the resource does not know. */
export function patchFunction(
  mediaType: string,
  resource: ServedResource,
): (current: JsonObject, patch: unknown) => unknown {
  switch (mediaType) {
    case 'application/json-patch+json':
      return jsonPatch;
    case 'application/merge-patch+json':
      return (current, value) => mergePatch(current, assertObject(value));
    case 'application/strategic-merge-patch+json':
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
