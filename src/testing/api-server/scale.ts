import type { Caller } from './exchange/access-control.js';
import { badRequest } from './exchange/api-error.js';
import { jsonReply, type ApiReply, type ApiRequest } from './exchange/exchange.js';
import { isJsonObject, objectField, type JsonObject, valueAtPath, withValueAtPath } from './exchange/json.js';
import { storageKey, type ScalePaths, type ServedResource } from './resources/catalog.js';
import type { Verb } from './resources/routing.js';
import type { ServerContext } from './storage/server-context.js';
import type { StoredObject } from './storage/stored-object.js';
import { mediaTypeOf } from './write/decode-body.js';
import { patchFunction, decodePatch } from './write/patch.js';
import { commitUpdate, existing, type ObjectAddress } from './write/update.js';
import { parseWriteOptions } from './write/write-options.js';

/** Answers requests for the `scale` subresource: a small object that represents `spec.replicas`. */
export function scaleReply(
  context: ServerContext,
  caller: Caller,
  request: ApiRequest,
  address: ObjectAddress,
  paths: ScalePaths,
  verb: Verb,
): ApiReply {
  const current = existing(context, address);
  const scale = scaleOf(current, address.resource, paths);
  if (verb === 'get') return jsonReply(200, scale);
  const desired =
    verb === 'patch'
      ? patchFunction(mediaTypeOf(request), address.resource)(scale, decodePatch(request.body))
      : decodePatch(request.body);
  const replicas = objectField(isJsonObject(desired) ? desired : {}, 'spec')['replicas'] ?? 0;
  if (typeof replicas !== 'number') throw badRequest('spec.replicas must be a number');
  const { fieldManager, dryRun } = parseWriteOptions(
    caller,
    request,
    verb === 'patch' ? 'PatchOptions' : 'UpdateOptions',
  );
  const next = commitUpdate(
    context,
    address.resource,
    storageKey(address.namespace, address.name),
    current,
    {
      ...(withValueAtPath(current, paths.specReplicasPath, replicas) as JsonObject),
      metadata: { ...current.metadata, resourceVersion: requestedVersion(desired) ?? current.metadata.resourceVersion },
    },
    { caller, manager: fieldManager, subresource: 'scale', dryRun, method: 'PUT' },
  );
  return jsonReply(200, scaleOf(next, address.resource, paths));
}

function requestedVersion(scale: unknown): unknown {
  return isJsonObject(scale) ? objectField(scale, 'metadata')['resourceVersion'] : undefined;
}

function scaleOf(object: StoredObject, resource: ServedResource, paths: ScalePaths): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = selectorOf(object, resource, paths);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace ? { namespace } : {}), uid, resourceVersion, creationTimestamp },
    spec: { replicas: numberAt(object, paths.specReplicasPath) },
    status: { replicas: numberAt(object, paths.statusReplicasPath), ...(selector === undefined ? {} : { selector }) },
  };
}

function numberAt(object: StoredObject, path: string): number {
  const value = valueAtPath(object, path);
  return typeof value === 'number' ? value : 0;
}

function selectorOf(
  object: StoredObject,
  resource: ServedResource,
  { labelSelectorPath }: ScalePaths,
): string | undefined {
  if (resource.custom) {
    const value = labelSelectorPath === undefined ? undefined : valueAtPath(object, labelSelectorPath);
    return typeof value === 'string' ? value : undefined;
  }
  const labels = objectField(objectField(objectField(object, 'spec'), 'selector'), 'matchLabels');
  const terms = Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`);
  return terms.length === 0 ? undefined : terms.sort().join(',');
}
