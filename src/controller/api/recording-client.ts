import {
  type KubernetesObject,
  type PartialObjectMetadata,
  resourceVersionOf,
  uidOf,
} from '../../kubernetes/object.js';
import type { Resource } from '../../kubernetes/resource.js';
import type { KubeClient } from '../../sources/client/kube-client.js';

/** The kind of a write. */
export type WriteVerb = 'create' | 'update' | 'patch' | 'apply' | 'delete';

/** Stands for the version of an object that does not exist. */
export const noVersion = '';

/** A write that the API server has carried out. */
export interface RecordedWrite {
  readonly verb: WriteVerb;
  readonly resource: Resource<unknown>;
  /**
   * The object in the server's response. If a delete returns only a status, this object has only a
   * name, a namespace and a uid.
   */
  readonly object: KubernetesObject;
  readonly uid: string;
  /** The version that the write created; `undefined` if the response does not contain it. */
  readonly resourceVersion: string | undefined;
  /** The version that the write has replaced; `undefined` if this is not known. */
  readonly replacedVersion: string | undefined;
  /** True if the object no longer exists. False if it is only terminating. */
  readonly isGone: boolean;
  /** False if the caller opted out of waiting for the caches (`waitForCache: false`). */
  readonly waitForCache: boolean;
}

/** A write to which the server has responded. */
export interface AnsweredCall {
  readonly verb: WriteVerb;
  readonly resource: Resource<unknown>;
  /** The name and the namespace in the request, for responses without a name and a namespace. */
  readonly target: { readonly namespace?: string | undefined; readonly name?: string | undefined };
  readonly uid?: string | undefined;
  /**
   * The only version for which the server carries out the write: `noVersion` for a create,
   * `undefined` if the request names no version.
   */
  readonly requiredVersion?: string | undefined;
  readonly waitForCache: boolean;
}

// A registered symbol, so that a `ResourceClient` from another copy of this module records too.
const hook = Symbol.for('rx-informers.recordWrite');

type Recording = KubeClient & { readonly [hook]?: (write: RecordedWrite) => void };

/**
 * Returns a client that uses the same connection and reports the writes that are sent through it. A
 * client made by `resourceClient` calls `record` with each write to which the server has responded.
 * It calls `record` before the caller of the write receives the response. Dry runs are not
 * reported.
 *
 * **Does not guarantee**: that a write without a response is reported. The server may have carried
 * out such a write, for example if the connection was lost or the call was aborted. A wrapper
 * around the returned client does not report writes.
 */
export function recordingClient(client: KubeClient, record: (write: RecordedWrite) => void): KubeClient {
  const { scheduler, random } = client;
  const recording: Recording = { scheduler, random, exchange: (request) => client.exchange(request), [hook]: record };
  return recording;
}

/**
 * Reports a write if the client was made by `recordingClient`. Does nothing if the response does
 * not identify the object, for example the response to an `eviction`.
 */
export function recordAnswer(client: KubeClient, call: AnsweredCall, answer: unknown): void {
  const record = (client as Recording)[hook];
  const write = record && writeOf(call, answer);
  if (write) record(write);
}

/**
 * Returns the write that a response confirms; `undefined` if the response does not identify the
 * object.
 */
export function writeOf(call: AnsweredCall, answer: unknown): RecordedWrite | undefined {
  const { verb, resource, requiredVersion: replacedVersion, waitForCache } = call;
  const uid = uidOf(answer);
  const resourceVersion = resourceVersionOf(answer);
  if (uid !== undefined && resourceVersion !== undefined) {
    const object = answer as KubernetesObject;
    const written = { resourceVersion, replacedVersion, isGone: isGone(verb, object) };
    return { verb, resource, object, uid, ...written, waitForCache };
  }
  if (verb !== 'delete') return undefined;
  // The response is a `Status`: the object is gone, and `details` identifies it.
  const { details } = (answer ?? {}) as { readonly details?: { readonly uid?: string } };
  const deleted = details?.uid ?? call.uid;
  if (deleted === undefined) return undefined;
  const object = { metadata: { ...call.target, uid: deleted } };
  const gone = { resourceVersion: undefined, replacedVersion, isGone: true };
  return { verb, resource, object, uid: deleted, ...gone, waitForCache };
}

type DeletionState = Partial<
  Pick<PartialObjectMetadata['metadata'], 'deletionTimestamp' | 'deletionGracePeriodSeconds' | 'finalizers'>
>;

/**
 * Returns true if the write removed the object: a delete that returns no terminating object, or the
 * removal of the last finalizer of a terminating object.
 */
function isGone(verb: WriteVerb, object: KubernetesObject): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds } = object.metadata as DeletionState;
  if (deletionTimestamp === undefined) return verb === 'delete';
  return finalizers.length === 0 && deletionGracePeriodSeconds === 0;
}
