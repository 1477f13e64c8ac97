import { defer, map, type MonoTypeOperatorFunction } from 'rxjs';
import { messageOf } from '../../kubernetes/errors.js';
import { objectKey, dropManagedFields, type KubernetesObject } from '../../kubernetes/object.js';
import { apiVersionOf, type Resource } from '../../kubernetes/resource.js';
import { shareStructure, shareStructureInPlace } from '../../kubernetes/share-structure.js';
import type { ResponsePart } from '../client/kube-client.js';
import { DecodeError, ResponseError, TransformError, type RequestLine } from '../model/errors.js';
import { openCurly, type MemberPath, type WireError } from '../wire/bytes.js';
import type { ShardFilter } from './shard.js';

/** What is known of the objects before one is seen. */
export interface ObjectDecoder<T> {
  readonly apiVersion: string;
  /** What list items are stamped with; `undefined` where the resource does not say. */
  readonly kind: string | undefined;
  /** Whether an object of this kind is what was asked for (R10). */
  readonly accepts: (kind: string) => boolean;
  /** What is of this source's shard; `undefined` where everything is. */
  readonly shard: ShardFilter | undefined;
  /** Runs the user's transform, once; throws `TransformError`. */
  readonly transform: (object: KubernetesObject) => T;
  /** What `transform` drops anyway, so that it need not even be parsed. */
  readonly omit: MemberPath | undefined;
  /** Returns an item of a list that shares equal subtrees with the item before it. */
  readonly share: (previous: T, next: T) => T;
}

const managedFields: MemberPath = ['metadata', 'managedFields'];

const partialMetadata = 'PartialObjectMetadata';

export function objectDecoder<T>(
  resource: Resource<unknown>,
  options: {
    readonly metadataOnly: boolean;
    readonly transform: (object: never) => T;
    readonly shareAcrossObjects: boolean;
    readonly shard?: ShardFilter | undefined;
  },
): ObjectDecoder<T> {
  const ofResource = (kind: string): boolean =>
    resource.kind === undefined ? kind !== 'Table' && kind !== 'Status' : kind === resource.kind;
  const reading = {
    shard: options.shard,
    omit: options.transform === dropManagedFields ? managedFields : undefined,
    share: options.shareAcrossObjects ? shareWith<T>(options.transform) : keep,
  };
  const { kind } = resource;
  const apiVersion = apiVersionOf(resource);
  if (!options.metadataOnly) {
    const transform = (object: KubernetesObject): T => checkedTransform(options.transform, object);
    return { apiVersion, kind, accepts: ofResource, transform, ...reading };
  }
  // As controller-runtime does: an object has the same kind, however little of it was sent.
  const stated = kind === undefined ? undefined : { apiVersion, kind };
  return {
    apiVersion,
    kind,
    accepts: (received) => received === partialMetadata || ofResource(received),
    transform: (object) => checkedTransform(options.transform, metadataOf(object, stated)),
    ...reading,
  };
}

/** A transform of the user may return an object that is in use elsewhere; what the default one returns was parsed just now. */
function shareWith<T>(transform: unknown): (previous: T, next: T) => T {
  return transform === dropManagedFields ? shareStructureInPlace : shareStructure;
}

function keep<T>(_previous: T, next: T): T {
  return next;
}

/** The server may send whole objects all the same: the Accept header lets it, and not every one knows better. */
function metadataOf(
  { apiVersion, kind, metadata }: KubernetesObject,
  stated: Pick<KubernetesObject, 'apiVersion' | 'kind'> | undefined,
): KubernetesObject {
  if (stated !== undefined) return { ...stated, metadata };
  return { apiVersion, ...(isGiven(kind) && { kind }), metadata };
}

/**
 * Gives the object `apiVersion` and `kind`, which list items usually lack; its own stay. It was parsed just now and is nobody else's, so
 * it is written to: a copy of each would be a twentieth of what reading a list costs.
 */
export function stamp(object: KubernetesObject, apiVersion: string, kind: string | undefined): KubernetesObject {
  const stamped: { -readonly [Field in keyof KubernetesObject]: KubernetesObject[Field] } = object;
  if (!isGiven(object.apiVersion)) stamped.apiVersion = apiVersion;
  if (isGiven(kind) && !isGiven(object.kind)) stamped.kind = kind;
  return stamped;
}

export function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

export function isObject(value: unknown): value is KubernetesObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object whose identity changes would be stored twice or never deleted, so that is as much an error as a throw. */
function checkedTransform<T>(transform: (object: never) => T, object: KubernetesObject): T {
  // Read before the call: a transform may change the object in place.
  const before = identityOf(object);
  const result = attempt(() => transform(object as never), before);
  if (!isObject(result)) {
    throw failure(before, `it gave ${result === null ? 'null' : typeof result}, not an object`);
  }
  const after = attempt(() => identityOf(result), before);
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

const nobody: Identity = { name: undefined, namespace: undefined, uid: undefined };

function identityOf(object: unknown): Identity {
  const { metadata } = object as KubernetesObject;
  if (!isObject(metadata)) return nobody;
  const { name, namespace, uid } = metadata as Partial<Identity>;
  return { name, namespace, uid };
}

function attempt<Result>(act: () => Result, identity: Identity): Result {
  try {
    return act();
  } catch (cause) {
    throw failure(identity, messageOf(cause), { cause });
  }
}

function changed(field: keyof Identity, before: Identity, after: Identity): TransformError {
  return failure(before, `it changed metadata.${field} from ${shown(before[field])} to ${shown(after[field])}`);
}

function shown(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(value)
    : value === undefined
      ? 'undefined'
      : `a value of type ${typeof value}`;
}

function failure({ name, namespace, uid }: Identity, problem: string, options?: ErrorOptions): TransformError {
  const key = objectKey({ metadata: { name, namespace } });
  return new TransformError(
    key ?? (typeof uid === 'string' ? `uid ${uid}` : 'an object without a name'),
    problem,
    options,
  );
}

/**
 * Throws a `ResponseError` if a successful response is not JSON: a login page, the error page of a proxy.
 *
 * | response | out |
 * | --- | --- |
 * | its type is JSON, or its body begins with `{` | as it is |
 * | otherwise | the head, then the error, with the beginning of the body |
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
          throw new ResponseError(
            request,
            `JSON expected, ${type || 'something else'} received`,
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
export function decodeError(request: RequestLine, { problem, line, byteLength, cause }: WireError): DecodeError {
  return new DecodeError(request, problem, line, byteLength, { cause });
}

const lossy = /*#__PURE__*/ new TextDecoder();

/** Returns the first bytes as text, for the message of an error. */
export function beginningOf(bytes: Uint8Array): string {
  return lossy.decode(bytes.subarray(0, 200));
}
