import { ApiError, badRequest } from '../api-error.js';
import type { ApiRequest } from '../exchange.js';
import { isJsonObject, type JsonObject } from '../json/json-object.js';
import { jsonPatch } from '../patch/json-patch.js';
import { mergePatch } from '../patch/merge-patch.js';
import { objectKey } from '../resources/served-resource.js';
import type { ServerContext } from '../server-context.js';
import type { StoredObject } from '../storage/stored-object.js';
import { commitUpdate } from './commit-update.js';
import { jsonProblem, mediaTypeOf } from './decode-body.js';
import { existing, type ObjectAddress } from './update.js';
import type { WriteOptions } from './write-options.js';

/** Applies the patch in the body, by its content type. */
export function patch(context: ServerContext, address: ObjectAddress, request: ApiRequest, options: WriteOptions): StoredObject {
  const { resource, namespace, name, subresource } = address;
  const apply = patchFunction(mediaTypeOf(request));
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

function patchFunction(mediaType: string): (current: JsonObject, patch: unknown) => unknown {
  switch (mediaType) {
    case 'application/json-patch+json':
      return jsonPatch;
    case 'application/merge-patch+json':
      return (current, value) => mergePatch(current, assertObject(value));
    default:
      throw new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', { details: {} });
  }
}

function assertObject(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  const found = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  throw badRequest(`error decoding patch: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`);
}

function decodePatch(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw badRequest(`error decoding patch: ${jsonProblem(error, text)}`);
  }
}
