import { leases, type Lease, StatusError } from 'rx-informers';
import {
  type LeaderOptions,
  leader$,
  type LeaderElection,
  type Leadership,
  type LeaseError,
} from 'rx-informers/controller';
import { createInMemoryApiServer, type InMemoryApiServer, type VirtualClock, virtualClock } from 'rx-informers/testing';
import type { Subscription } from 'rxjs';
import { network, type Network } from './network.js';

export const leaseName = { namespace: 'default', name: 'operator' };

/** A server in virtual time, and replicas that compete for one of its leases. */
export interface World {
  readonly clock: VirtualClock;
  readonly server: InMemoryApiServer;
  /** All emissions of all replicas, a line for each with its time: `0 a leading`. */
  readonly lines: string[];
  /** All requests for leases that the server received, each with its time: `0 PUT`. */
  readonly requests: string[];
  candidate(identity: string, options?: Partial<LeaderOptions>): Replica;
  lease(): Lease | undefined;
  /** Returns the holder of the lease that the server stores. */
  holder(): string | undefined;
  /** Stores a lease with exactly this spec. */
  put(spec: object): void;
  removeLease(): void;
}

export interface Replica {
  readonly leadership$: LeaderElection;
  readonly network: Network;
  readonly isLeading: boolean;
  readonly last: Leadership | undefined;
  /** Starts the replica. After `stop`, it subscribes again. */
  start(): void;
  stop(): void;
  /** Simulates the death of the process: from then on, the replica sends nothing. */
  kill(): void;
}

/** Describes a state in one or two words. */
export function word(leadership: Leadership): string {
  switch (leadership.type) {
    case 'leading':
      return `leading${problem(leadership.error)}`;
    case 'standby':
      return `standby${leadership.holder === undefined ? '' : ` of ${leadership.holder}`}${problem(leadership.error)}`;
    case 'lost':
      return `lost by ${leadership.cause.code}`;
    default:
      return leadership satisfies never;
  }
}

function problem(error: LeaseError | undefined): string {
  if (error === undefined) return '';
  return ` (${error instanceof StatusError ? error.statusCode : error.code})`;
}

export function world(): World {
  const clock = virtualClock();
  const server = createInMemoryApiServer({ scheduler: clock });
  const lines: string[] = [];
  const requests: string[] = [];
  server.requests$.subscribe(({ method, path }) => {
    if (path.includes('/leases')) requests.push(`${clock.now()} ${method}`);
  });
  const lease = (): Lease | undefined => server.objects.get(leases, leaseName.name, leaseName.namespace);
  return {
    clock,
    server,
    lines,
    requests,
    lease,
    holder: () => lease()?.spec?.holderIdentity,
    put: (spec) => {
      server.apply({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: leaseName, spec });
    },
    removeLease: () => {
      server.remove(leases, leaseName.name, leaseName.namespace);
    },
    candidate: (identity, options = {}) => {
      const line = network(server.client, clock);
      let last: Leadership | undefined;
      let subscription: Subscription | undefined;
      // Requests go directly to the server, so that responses arrive within the call.
      const direct = {
        exchange: (request: Parameters<typeof line.client.exchange>[0]) =>
          (line.isDown ? line.client : server.client).exchange(request),
      };
      const leadership$ = leader$(direct, {
        lease: leaseName,
        identity,
        scheduler: clock,
        random: () => 0.5,
        ...options,
      });
      const start = (): void => {
        subscription = leadership$.subscribe((leadership) => {
          last = leadership;
          lines.push(`${clock.now()} ${identity} ${word(leadership)}`);
        });
      };
      const stop = (): void => {
        subscription?.unsubscribe();
        last = undefined;
      };
      start();
      return {
        leadership$,
        network: line,
        get isLeading() {
          return last?.type === 'leading';
        },
        get last() {
          return last;
        },
        start,
        stop,
        kill: () => {
          line.isDown = true;
          stop();
        },
      };
    },
  };
}
