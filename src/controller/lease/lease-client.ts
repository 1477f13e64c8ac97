import { catchError, map, of, throwError, type Observable } from 'rxjs';
import { leases, type Lease } from '../../kubernetes/resources/everyday.js';
import type { NewObject } from '../../requests/resource-client/call-options.js';
import { isNotFound } from '../../requests/resource-client/errors.js';
import { resourceClient, type ResourceClientOptions } from '../../requests/resource-client/resource-client.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import { toLeaseError, malformedLeaseError } from './lease-errors.js';
import type { LeaseAnswer, RequestEffect } from './lease-protocol.js';
import { leaseKey, type LeaseName } from './lease-record.js';

/** One Lease. Each Observable is cold: one request per subscription; fails with a `LeaseError`. */
export interface LeaseClient {
  get(): Observable<Lease>;
  create(lease: NewObject<Lease>): Observable<Lease>;
  /** Replaces the Lease. Fails with a 409 if the Lease was written since it was read. */
  update(lease: Lease): Observable<Lease>;
  /** Deletes a Lease, also of another replica. Fails if it was written since it was read. */
  delete(lease: Lease): Observable<void>;
}

/** A response without a `resourceVersion` fails with an `RXI_MALFORMED_LEASE`. */
export function leaseClient(client: KubeClient, name: LeaseName, options: ResourceClientOptions): LeaseClient {
  const calls = resourceClient(client, leases, options);
  const checked = <T>(answer$: Observable<T>): Observable<T> =>
    answer$.pipe(catchError((error: unknown) => throwError(() => toLeaseError(error))));
  const checkedLease = (answer$: Observable<Lease>): Observable<Lease> =>
    checked(answer$.pipe(map((answer) => leaseOf(name, answer))));
  return {
    get: () => checkedLease(calls.get(leaseKey(name))),
    create: (lease) => checkedLease(calls.create(lease)),
    update: (lease) => checkedLease(calls.update(lease)),
    delete: (lease) => {
      const { uid, resourceVersion } = lease.metadata;
      return checked(calls.delete(lease, { preconditions: { uid, resourceVersion } }));
    },
  };
}

function leaseOf(name: LeaseName, answer: unknown): Lease {
  const { metadata } = (answer ?? {}) as { readonly metadata?: Partial<Lease['metadata']> | null };
  if (typeof metadata?.resourceVersion === 'string' && metadata.resourceVersion !== '') return answer as Lease;
  throw malformedLeaseError(name, ['the API server returned an object without metadata.resourceVersion']);
}

/** Sends the request of an effect, and emits the response or the error as an input. Never fails. */
export function requestLease(client: LeaseClient, effect: RequestEffect): Observable<LeaseAnswer> {
  const failed = (error: unknown): Observable<LeaseAnswer> => of({ type: 'failed', error: toLeaseError(error) });
  switch (effect.type) {
    case 'read':
      return client.get().pipe(
        map((lease): LeaseAnswer => ({ type: 'read', lease })),
        catchError((error: unknown) =>
          isNotFound(error) ? of<LeaseAnswer>({ type: 'read', lease: undefined }) : failed(error),
        ),
      );
    case 'create':
    case 'update': {
      const write$ = effect.type === 'create' ? client.create(effect.lease) : client.update(effect.lease);
      return write$.pipe(
        map((lease): LeaseAnswer => ({ type: 'written', lease })),
        catchError(failed),
      );
    }
    default:
      return effect satisfies never;
  }
}
