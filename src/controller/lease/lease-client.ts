import { catchError, map, throwError, type Observable, type SchedulerLike } from 'rxjs';
import { leases, type Lease } from '../../kubernetes/resources/everyday.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import type { NewObject } from '../api/call-options.js';
import { resourceClient } from '../api/resource-client.js';
import { toLeaseError, MalformedLeaseError } from './lease-errors.js';
import { leaseKey, type LeaseName } from './lease-record.js';

/** Reads and writes one lease. Each call is cold, makes one request per subscription, and fails with a `LeaseError`. */
export interface LeaseClient {
  get(): Observable<Lease>;
  create(lease: NewObject<Lease>): Observable<Lease>;
  /** A 409 where the lease has another version by now. */
  update(lease: Lease): Observable<Lease>;
}

/** The client of one lease; what answers without a version is no lease, and an error. */
export function leaseClient(
  client: KubeClient,
  name: LeaseName,
  options: { readonly timeout: number; readonly scheduler: SchedulerLike },
): LeaseClient {
  const calls = resourceClient(client, leases, options);
  const checked = (answer$: Observable<Lease>): Observable<Lease> =>
    answer$.pipe(
      map((lease) => checkedLease(name, lease)),
      catchError((error: unknown) => throwError(() => toLeaseError(error))),
    );
  return {
    get: () => checked(calls.get(leaseKey(name))),
    create: (lease) => checked(calls.create(lease)),
    update: (lease) => checked(calls.update(lease)),
  };
}

function checkedLease(name: LeaseName, answer: unknown): Lease {
  const { metadata } = (answer ?? {}) as { readonly metadata?: Partial<Lease['metadata']> | null };
  if (typeof metadata?.resourceVersion === 'string' && metadata.resourceVersion !== '') return answer as Lease;
  throw new MalformedLeaseError(name, ['the server answered with something that has no metadata.resourceVersion']);
}
