import { configMaps, deployments, leases, services, type KubeClient, type Lease } from 'rx-informers';
import type { KubeRequest } from 'rx-informers/client';
import { leader$, type ReconcileEvent } from 'rx-informers/controller';
import { resourceClient } from 'rx-informers/requests';
import {
  createInMemoryApiServer,
  randomFromSeed,
  type InMemoryApiServer,
  type InMemoryApiServerOptions,
  type VirtualClock,
  virtualClock,
} from 'rx-informers/testing';
import { defer, finalize, map, Subject, takeUntil, tap, throwError, type Subscription } from 'rxjs';
import { connectionError } from '../../../src/sources/model/errors.js';
import { startDeployments, websiteDefinition } from '../../website-operator/cluster.js';
import { websiteOperator } from '../../website-operator/operator.js';
import { websites, type WebsiteSpec } from '../../website-operator/website.js';
import type { ClusterState } from './cluster-state.js';
import { differences } from './differences.js';

export interface VirtualCluster {
  readonly clock: VirtualClock;
  readonly server: InMemoryApiServer;
  /** Returns the identities of the replicas that are alive and consider themselves the leader. */
  readonly leaders: () => readonly string[];
  readonly lease: () => Lease | undefined;
  /** Returns the differences from the specs. */
  readonly differences: () => readonly string[];
  readonly create: (name: string, spec?: Partial<WebsiteSpec>) => void;
  readonly change: (name: string, spec: Partial<WebsiteSpec>) => void;
  /** Requests the deletion of a website, which its finalizers delay. */
  readonly remove: (name: string) => void;
  readonly startDeployments: () => Subscription;
  readonly replica: (identity: string) => Replica;
}

/** An operator in virtual time, with a connection of its own. */
export interface Replica {
  readonly identity: string;
  readonly events: readonly ReconcileEvent[];
  readonly requests: readonly (KubeRequest & { readonly at: number })[];
  /** The number of open requests. */
  readonly openRequests: number;
  readonly isLeading: boolean;
  readonly isStopped: boolean;
  /** Breaks the connections of this replica, and refuses new ones. */
  cut(): void;
  restore(): void;
  /** Ends the replica like SIGKILL: the lease is not released. */
  kill(): void;
  /** Ends the replica like SIGTERM. */
  stop(): void;
  unsubscribe(): void;
}

/**
 * Returns an API server in virtual time that knows websites.
 *
 * @param clientOf returns the client of the operator's replicas; default: a client with all rights
 */
export function virtualCluster(
  options: Pick<InMemoryApiServerOptions, 'users' | 'watchList'> = {},
  clientOf: (server: InMemoryApiServer) => KubeClient = ({ client }) => client,
): VirtualCluster {
  const clock = virtualClock();
  const server = createInMemoryApiServer({ scheduler: clock, random: randomFromSeed(1), ...options });
  const client = clientOf(server);
  server.apply(websiteDefinition);
  const websiteClient = resourceClient(server.client, websites, { scheduler: clock });
  const replicas: Replica[] = [];
  const state = (): ClusterState => ({
    websites: server.objects.list(websites),
    deployments: server.objects.list(deployments),
    services: server.objects.list(services),
    directory: server.objects.get(configMaps, 'website-directory', 'default')?.data ?? {},
  });
  return {
    clock,
    server,
    leaders: () => replicas.filter(({ isLeading }) => isLeading).map(({ identity }) => identity),
    lease: () => server.objects.get(leases, 'website-operator', 'default'),
    differences: () => differences(state(), { isComplete: true, collectsGarbage: true }),
    create: (name, spec) => {
      const metadata = { name, namespace: 'default' };
      server.apply({ apiVersion: 'example.com/v1', kind: 'Website', metadata, spec: { image: 'nginx', ...spec } });
    },
    change: (name, spec) => {
      websiteClient.patch(`default/${name}`, { spec }).subscribe();
    },
    remove: (name) => {
      websiteClient.delete(`default/${name}`).subscribe();
    },
    startDeployments: () => startDeployments(server.client),
    replica: (identity) => {
      const replica = startReplica(identity, client, clock, randomFromSeed(replicas.length + 2));
      replicas.push(replica);
      return replica;
    },
  };
}

function startReplica(identity: string, direct: KubeClient, clock: VirtualClock, random: () => number): Replica {
  const connection = breakable(direct, clock, random);
  const stop$ = new Subject<void>();
  const events: ReconcileEvent[] = [];
  let isLeading = false;
  let isStopped = false;
  const election = leader$(connection.client, {
    lease: { namespace: 'default', name: 'website-operator' },
    identity,
  });
  const seen$ = election.pipe(tap(({ type }) => (isLeading = type === 'leading')));
  const operator = websiteOperator({
    client: connection.client,
    leader: Object.assign(seen$, {
      released$: election.released$,
      checkHealth: (tolerance?: number) => election.checkHealth(tolerance),
    }),
    identity,
    stop$,
  }).subscribe({
    next: (occurred) => {
      if (occurred.type !== 'controller') return;
      events.push(occurred.event);
      if (occurred.event.type === 'stopped') isLeading = false;
    },
    complete: () => (isStopped = true),
  });
  const unsubscribe = (): void => {
    operator.unsubscribe();
    isLeading = false;
  };
  return {
    identity,
    events,
    requests: connection.requests,
    get openRequests() {
      return connection.open;
    },
    get isLeading() {
      return isLeading;
    },
    get isStopped() {
      return isStopped;
    },
    cut: () => {
      connection.cut();
    },
    restore: () => {
      connection.restore();
    },
    kill: () => {
      connection.cut();
      unsubscribe();
    },
    stop: () => {
      stop$.next();
    },
    unsubscribe,
  };
}

/** Returns a client that records its requests. Its connections can be broken. */
function breakable(direct: KubeClient, clock: VirtualClock, random: () => number) {
  const requests: (KubeRequest & { readonly at: number })[] = [];
  const cuts = new Subject<void>();
  let isCut = false;
  let open = 0;
  const client: KubeClient = {
    scheduler: clock,
    random,
    exchange: (request) =>
      defer(() => {
        const broken = connectionError(
          { method: request.method, url: request.path },
          new Error('the test cut the network'),
          'ECONNRESET',
        );
        if (isCut) return throwError(() => broken);
        requests.push({ ...request, at: clock.now() });
        open += 1;
        const cut$ = cuts.pipe(
          map(() => {
            throw broken;
          }),
        );
        return direct.exchange(request).pipe(
          takeUntil(cut$),
          finalize(() => (open -= 1)),
        );
      }),
  };
  return {
    client,
    requests,
    get open() {
      return open;
    },
    cut: () => {
      isCut = true;
      cuts.next();
    },
    restore: () => {
      isCut = false;
    },
  };
}
