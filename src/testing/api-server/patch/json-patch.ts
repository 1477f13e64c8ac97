import { applyPatch, type Operation } from 'rfc6902';
import { ApiError, badRequest } from '../api-error.js';
import { isJsonObject } from '../json/json-object.js';

const operations = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);

/** RFC 6902: all operations or none; one that cannot be carried out is a 422. */
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
  const failures = applyPatch(copy, patch as Operation[]);
  if (failures.every((failure) => failure === null)) return copy;
  throw new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', { details: {} });
}
