import { defer, tap, type Observable } from 'rxjs';
import {
  type KubernetesObject,
  type PartialObjectMetadata,
  resourceVersionOf,
  uidOf,
} from '../../kubernetes/object.js';
import type { Resource } from '../../kubernetes/resource.js';
import type { KubeRequest, RecordedWrite } from '../../sources/client/kube-client.js';

/** The kind of a write. */
export type WriteVerb = RecordedWrite['verb'];

/** Stands for the version of an object that does not exist. */
export const noVersion = '';

/** A write to which the server has responded. */
export interface AnsweredCall {
  readonly verb: WriteVerb;
  readonly resource: Resource<unknown>;
  /** The name and the namespace in the request, for responses without a name and a namespace. */
  readonly target: { readonly namespace?: string | undefined; readonly name?: string | undefined };
  readonly uid?: string | undefined;
  /** The only version that the write may replace: `noVersion` for a create; `undefined`: any. */
  readonly requiredVersion?: string | undefined;
  readonly waitForCache: boolean;
}

/** Called with each write that no client has recorded. Empty in production. */
export const unrecordedWrites = /*#__PURE__*/ new Set<(write: RecordedWrite) => void>();

/** Sends a write. Reports what its response confirms to recording clients or `unrecordedWrites`. */
export function reportWrites<Answer>(
  toRequest: () => KubeRequest,
  send: (toRequest: () => KubeRequest) => Observable<Answer>,
  writesOf: (answer: Answer) => readonly RecordedWrite[],
  writesOfError: (error: unknown) => readonly RecordedWrite[] = () => [],
): Observable<Answer> {
  return defer(() => {
    const recorders = new Set<(write: RecordedWrite) => void>();
    const recordWrites = (record: (write: RecordedWrite) => void): void => void recorders.add(record);
    const report = <T>(writesIn: (response: T) => readonly RecordedWrite[], response: T): void => {
      const informed = recorders.size > 0 ? recorders : unrecordedWrites;
      if (informed.size > 0) for (const write of writesIn(response)) for (const record of informed) record(write);
    };
    return send(() => ({ ...toRequest(), recordWrites })).pipe(
      tap({ next: (answer) => report(writesOf, answer), error: (error: unknown) => report(writesOfError, error) }),
    );
  });
}

/** Returns the deletion that a response shows: the object with this uid no longer exists. */
export function foundDeleted({ verb, resource, target, uid = '', waitForCache }: AnsweredCall): RecordedWrite {
  const object = { metadata: { ...target, uid } };
  return {
    verb,
    resource,
    object,
    uid,
    resourceVersion: undefined,
    replacedVersion: undefined,
    isGone: true,
    waitForCache,
  };
}

/**
 * Returns the deletions that the response to the deletion of a collection confirms. A list has the
 * objects as they were before. After another response, the caches have to reach its version.
 */
export function deletionsOf(call: AnsweredCall, answer: unknown): readonly RecordedWrite[] {
  const { items = [{ metadata: {} }], metadata } = answer as Partial<KubernetesList>;
  const { verb, resource, waitForCache } = call;
  return items.map((object) => {
    const resourceVersion = resourceVersionOf(object) ?? metadata?.resourceVersion;
    const uid = uidOf(object) ?? '';
    // The objects had this version before, so the deletion has not created it.
    const versions = { resourceVersion, replacedVersion: resourceVersion, isGone: undefined };
    return { verb, resource, object, uid, ...versions, waitForCache };
  });
}

/** The part of a list that is read after a deletion. */
export interface KubernetesList {
  readonly items: readonly KubernetesObject[];
  readonly metadata: { readonly resourceVersion?: string };
}

/** Returns the write that a response confirms; `undefined` if it does not identify the object. */
export function confirmedWrite(call: AnsweredCall, answer: unknown): RecordedWrite | undefined {
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
  return { ...foundDeleted({ ...call, uid: deleted }), replacedVersion };
}

type DeletionState = Partial<
  Pick<PartialObjectMetadata['metadata'], 'deletionTimestamp' | 'deletionGracePeriodSeconds' | 'finalizers'>
>;

/** True for a delete without a terminating object, and for the removal of the last finalizer. */
function isGone(verb: WriteVerb, object: KubernetesObject): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds } = object.metadata as DeletionState;
  if (deletionTimestamp === undefined) return verb === 'delete';
  return finalizers.length === 0 && deletionGracePeriodSeconds === 0;
}
