import {
  type KubernetesObject,
  type PartialObjectMetadata,
  resourceVersionOf,
  uidOf,
} from '../../kubernetes/object.js';
import type { Resource } from '../../kubernetes/resource.js';
import type { KubeClient } from '../../sources/client/kube-client.js';

/** Which call wrote. */
export type WriteVerb = 'create' | 'update' | 'patch' | 'apply' | 'delete';

/** A write that the API server has carried out. */
export interface RecordedWrite {
  readonly verb: WriteVerb;
  readonly resource: Resource<unknown>;
  /** The server's answer; of a delete that answers only a status, name, namespace and uid of the object. */
  readonly object: KubernetesObject;
  readonly uid: string;
  /** The version that the write led to, `undefined` if the answer does not say it. */
  readonly resourceVersion: string | undefined;
  /** True if the object no longer exists: nothing holds the deletion back. */
  readonly isGone: boolean;
  /** False if the caller opted out of waiting for the caches (`waitForCache: false`). */
  readonly waitForCache: boolean;
}

/** A call that wrote, and its decoded answer. */
export interface AnsweredCall {
  readonly verb: WriteVerb;
  readonly resource: Resource<unknown>;
  /** What was asked to be written or deleted, as far as the answer may not say it. */
  readonly target: { readonly namespace?: string | undefined; readonly name?: string | undefined };
  readonly uid?: string | undefined;
  readonly waitForCache: boolean;
}

// The registered symbol: a ResourceClient of another copy of this module records too.
const hook = Symbol.for('rx-informers.recordWrite');

type Recording = KubeClient & { readonly [hook]?: (write: RecordedWrite) => void };

/**
 * Returns a client over the same connection that reports what is written through it. `resourceClient`
 * calls `record` with each answered write, before its caller gets the answer; dry runs are left out.
 *
 * **Does not guarantee**: that a write without an answer (a lost connection, an aborted call) is reported, though the
 * server may have carried it out. A wrapper around the returned client does not report.
 */
export function recordingClient(client: KubeClient, record: (write: RecordedWrite) => void): KubeClient {
  const { scheduler, random } = client;
  const recording: Recording = { scheduler, random, exchange: (request) => client.exchange(request), [hook]: record };
  return recording;
}

/** Reports a write if the client records; an answer that does not identify the object (`eviction`) is left out. */
export function recordAnswer(client: KubeClient, call: AnsweredCall, answer: unknown): void {
  const record = (client as Recording)[hook];
  const write = record && writeOf(call, answer);
  if (write) record(write);
}

/** Returns what an answer says was written, `undefined` if it does not say which object. */
export function writeOf(call: AnsweredCall, answer: unknown): RecordedWrite | undefined {
  const { verb, resource, waitForCache } = call;
  const uid = uidOf(answer);
  const resourceVersion = resourceVersionOf(answer);
  if (uid !== undefined && resourceVersion !== undefined) {
    const object = answer as KubernetesObject;
    return { verb, resource, object, uid, resourceVersion, isGone: isGone(verb, object), waitForCache };
  }
  if (verb !== 'delete') return undefined;
  // A `Status`: the object is gone, and the details say which one it was.
  const { details } = (answer ?? {}) as { readonly details?: { readonly uid?: string } };
  const deleted = details?.uid ?? call.uid;
  if (deleted === undefined) return undefined;
  const object = { metadata: { ...call.target, uid: deleted } };
  return { verb, resource, object, uid: deleted, resourceVersion: undefined, isGone: true, waitForCache };
}

type DeletionState = Partial<
  Pick<PartialObjectMetadata['metadata'], 'deletionTimestamp' | 'deletionGracePeriodSeconds' | 'finalizers'>
>;

/** A write that takes the last finalizer from an object which is being deleted answers the object that is gone with it. */
function isGone(verb: WriteVerb, object: KubernetesObject): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds } = object.metadata as DeletionState;
  if (deletionTimestamp === undefined) return verb === 'delete';
  return finalizers.length === 0 && deletionGracePeriodSeconds === 0;
}
