import { defer, map, type MonoTypeOperatorFunction } from 'rxjs';
import { messageOf, type RxInformersError } from '../../kubernetes/errors.js';
import { objectKey } from '../../kubernetes/keys.js';
import { dropManagedFields, type KubernetesObject } from '../../kubernetes/object.js';
import { apiVersionOf, type Resource } from '../../kubernetes/resource.js';
import { shareStructure, shareStructureInPlace } from '../../kubernetes/share-structure.js';
import type { ResponsePart } from '../client/kube-client.js';
import { type RequestLine, transformError, responseError, decodingError } from '../model/errors.js';
import type { KnownObjects } from '../model/source.js';
import { openCurly } from '../wire/bytes.js';
import type { KnownTexts } from './known-objects.js';

/** The rules for decoding the objects of one list-watch. */
export interface ObjectDecoder<T> {
  readonly apiVersion: string;
  /** The kind to set on list items; `undefined` if the resource has none. */
  readonly kind: string | undefined;
  /** Returns true if the requested objects have this kind (R10). */
  readonly accepts: (kind: string) => boolean;
  /** Calls the `transform` option; throws `RXI_TRANSFORM`. */
  readonly transform: (object: KubernetesObject) => T;
  /** True if `transform` drops `managedFields`, so that they need not be parsed. */
  readonly omitsManagedFields: boolean;
  /** Returns `next`, sharing equal subtrees with `previous`, which is not changed. */
  readonly share: (previous: T, next: T) => T;
  /** The objects that the subscriber holds; `undefined` if they are not known. */
  readonly knownTexts: KnownTexts<T> | undefined;
}

const partialMetadata = 'PartialObjectMetadata';

export function objectDecoder<T>(
  resource: Resource<unknown>,
  options: {
    readonly metadataOnly: boolean;
    readonly transform: (object: never) => T;
    readonly shareAcrossObjects: boolean;
    readonly known?: KnownObjects<T> | undefined;
  },
): ObjectDecoder<T> {
  const ofResource = (kind: string): boolean =>
    resource.kind === undefined ? kind !== 'Table' && kind !== 'Status' : kind === resource.kind;
  const omitsManagedFields = options.transform === dropManagedFields;
  // The default does not throw, and does not change the identity of an object.
  const transform = omitsManagedFields
    ? (options.transform as (object: KubernetesObject) => T)
    : (object: KubernetesObject): T => checkedTransform(options.transform, object);
  // The object was just parsed. The result of another transform may be in use elsewhere, so its
  // changed parts are copied.
  const share = omitsManagedFields ? shareStructureInPlace : shareStructure;
  const { kind } = resource;
  const apiVersion = apiVersionOf(resource);
  // As in controller-runtime, a partial object has the kind of the whole object.
  const stated = kind === undefined ? undefined : { apiVersion, kind };
  return {
    apiVersion,
    kind,
    accepts: options.metadataOnly ? (received) => received === partialMetadata || ofResource(received) : ofResource,
    transform: options.metadataOnly ? (object) => transform(metadataObject(object, stated)) : transform,
    knownTexts: options.known && { objects: options.known, digests: new WeakMap() },
    omitsManagedFields,
    share: options.shareAcrossObjects ? share : keep,
  };
}

function keep<T>(_previous: T, next: T): T {
  return next;
}

/** Keeps the metadata. Servers may send whole objects: the Accept header allows that. */
function metadataObject(
  { apiVersion, kind, metadata }: KubernetesObject,
  stated: Pick<KubernetesObject, 'apiVersion' | 'kind'> | undefined,
): KubernetesObject {
  if (stated !== undefined) return { ...stated, metadata };
  return { apiVersion, ...(kind && { kind }), metadata };
}

/**
 * Sets missing `apiVersion` and `kind` in place: list items lack them, the object was just parsed
 * and is not shared, and copies would add 5 % to the cost of a list.
 */
export function stamp(object: KubernetesObject, apiVersion: string, kind: string | undefined): KubernetesObject {
  const stamped: { -readonly [Field in keyof KubernetesObject]: KubernetesObject[Field] } = object;
  if (!object.apiVersion) stamped.apiVersion = apiVersion;
  if (kind && !object.kind) stamped.kind = kind;
  return stamped;
}

export function isObject(value: unknown): value is KubernetesObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Calls `transform`. Throws an `RXI_TRANSFORM` if `transform` throws or changes the identity of the
 * object. An object whose identity changes would be stored twice or never deleted.
 */
export function checkedTransform<T>(transform: (object: never) => T, object: KubernetesObject): T {
  // The identity is read before the call, because a transform may change the object in place.
  const before = identityOf(object);
  let result: T;
  let after: Identity;
  try {
    result = transform(object as never);
    after = isObject(result) ? identityOf(result) : noIdentity;
  } catch (cause) {
    throw failure(before, messageOf(cause), { cause });
  }
  if (!isObject(result)) {
    throw failure(before, `it returned ${result === null ? 'null' : typeof result}, not an object`);
  }
  if (after.name !== before.name) throw changed('name', before, after);
  if (after.namespace !== before.namespace) throw changed('namespace', before, after);
  if (after.uid !== before.uid) throw changed('uid', before, after);
  return result;
}

interface Identity {
  readonly name: unknown;
  readonly namespace: unknown;
  readonly uid: unknown;
}

const noIdentity: Identity = { name: undefined, namespace: undefined, uid: undefined };

function identityOf(object: unknown): Identity {
  const { metadata } = object as KubernetesObject;
  if (!isObject(metadata)) return noIdentity;
  const { name, namespace, uid } = metadata as Partial<Identity>;
  return { name, namespace, uid };
}

function changed(field: keyof Identity, before: Identity, after: Identity): RxInformersError<'RXI_TRANSFORM'> {
  return failure(before, `it changed metadata.${field} from ${shown(before[field])} to ${shown(after[field])}`);
}

function shown(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(value)
    : value === undefined
      ? 'undefined'
      : `a value of type ${typeof value}`;
}

function failure(
  { name, namespace, uid }: Identity,
  problem: string,
  options?: ErrorOptions,
): RxInformersError<'RXI_TRANSFORM'> {
  const key = objectKey({ metadata: { name, namespace } });
  return transformError(key ?? (typeof uid === 'string' ? `uid ${uid}` : 'an object without a name'), problem, options);
}

/**
 * Errors with an `RXI_RESPONSE` if a successful response is not JSON, such as a login page or the
 * error page of a proxy.
 *
 * | response | out |
 * | --- | --- |
 * | its content type is JSON, or its body begins with `{` | unchanged |
 * | its content type is not JSON, and its body does not begin with `{` | the head, then the error,
 * with the beginning of the body |
 */
export function jsonOnly(request: RequestLine): MonoTypeOperatorFunction<ResponsePart> {
  return (parts) =>
    defer(() => {
      let type = '';
      let isChecked = false;
      const check = (part: ResponsePart): ResponsePart => {
        if (part.type === 'head') {
          type = part.headers['content-type'] ?? '';
          return part;
        }
        if (!isChecked && !type.includes('json') && part.bytes[0] !== openCurly) {
          throw responseError(
            request,
            `expected JSON, received ${type || 'a body without a content type'}`,
            beginningOf(part.bytes),
          );
        }
        isChecked = true;
        return part;
      };
      return parts.pipe(map(check));
    });
}

/** Returns the error of a request whose response has a line or item that is not JSON. */
export function decodeError(
  request: RequestLine,
  { problem, line, byteLength, cause }: RxInformersError<'RXI_WIRE'>,
): RxInformersError<'RXI_DECODE'> {
  return decodingError(request, problem, line, byteLength, { cause });
}

const lossy = /*#__PURE__*/ new TextDecoder();

/** Returns the first bytes as text, for the message of an error. */
export function beginningOf(bytes: Uint8Array): string {
  return lossy.decode(bytes.subarray(0, 200));
}
