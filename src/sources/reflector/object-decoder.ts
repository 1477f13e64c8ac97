import { apiVersionOf } from '../../kubernetes/api-version.js';
import { messageOf } from '../../kubernetes/message-of.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import type { Resource } from '../../kubernetes/resource.js';
import { TransformError } from '../source-error.js';
import { objectKey } from './object-key.js';

/** What is known of the objects before one is seen. */
export interface ObjectDecoder<T> {
  readonly apiVersion: string;
  /** What list items are stamped with; `undefined` where the resource does not say. */
  readonly kind: string | undefined;
  /** Whether an object of this kind is what was asked for (R10). */
  readonly accepts: (kind: string) => boolean;
  /** Runs the user's transform, once; throws `TransformError`. */
  readonly transform: (object: KubernetesObject) => T;
}

const partialMetadata = { group: 'meta.k8s.io', version: 'v1', kind: 'PartialObjectMetadata' };

export function objectDecoder<T>(
  resource: Resource<T>,
  options: { readonly metadataOnly: boolean; readonly transform: (object: T) => T },
): ObjectDecoder<T> {
  const ofResource = (kind: string): boolean =>
    resource.kind === undefined ? kind !== 'Table' && kind !== 'Status' : kind === resource.kind;
  if (!options.metadataOnly) {
    return {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      accepts: ofResource,
      transform: (object) => checkedTransform(options.transform, object as T),
    };
  }
  return {
    apiVersion: apiVersionOf(partialMetadata),
    kind: partialMetadata.kind,
    accepts: (kind) => kind === partialMetadata.kind || ofResource(kind),
    transform: (object) => checkedTransform(options.transform, metadataOf(object) as T),
  };
}

/** The server may send whole objects all the same: the Accept header lets it, and not every one knows better. */
function metadataOf({ metadata }: KubernetesObject): KubernetesObject {
  return { apiVersion: apiVersionOf(partialMetadata), kind: partialMetadata.kind, metadata };
}

/** The object with `apiVersion` and `kind`, which list items usually lack; its own stay. */
export function stamp(object: KubernetesObject, apiVersion: string, kind: string | undefined): KubernetesObject {
  const isComplete = isGiven(object.apiVersion) && (isGiven(object.kind) || !isGiven(kind));
  if (isComplete) return object;
  return {
    ...object,
    apiVersion: isGiven(object.apiVersion) ? object.apiVersion : apiVersion,
    ...(isGiven(kind) && !isGiven(object.kind) && { kind }),
  };
}

export function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

export function isObject(value: unknown): value is KubernetesObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object whose identity changes would be stored twice or never deleted, so that is as much an error as a throw. */
function checkedTransform<T>(transform: (object: T) => T, object: T): T {
  const before = (object as KubernetesObject).metadata;
  // Read before the call: a transform may change the object in place.
  const { name, namespace, uid } = isObject(before) ? (before as Record<string, unknown>) : {};
  const key = objectKey(object) ?? (typeof uid === 'string' ? `uid ${uid}` : 'an object without a name');
  const result = attempt(() => transform(object), key);
  if (!isObject(result))
    throw new TransformError(key, `it gave ${result === null ? 'null' : typeof result}, not an object`);
  const after = (result as KubernetesObject).metadata;
  for (const [field, value] of Object.entries({ name, namespace, uid })) {
    const now = after?.[field as 'name' | 'namespace' | 'uid'];
    if (now !== value) {
      throw new TransformError(
        key,
        `it changed metadata.${field} from ${JSON.stringify(value)} to ${JSON.stringify(now)}`,
      );
    }
  }
  return result;
}

function attempt<T>(transform: () => T, key: string): T {
  try {
    return transform();
  } catch (cause) {
    throw new TransformError(key, messageOf(cause), { cause });
  }
}
