import type { KubeClient } from '../../sources/client/kube-client.js';
import type { EventRecorder } from '../events/recorder-options.js';
import type { HandOver } from '../lease/hand-over.js';
import type { AttemptEnd, HolderConfig } from '../lease/holder.js';
import { checkedLeaseOptions, jitterFactor, type LeaseOptions } from '../lease/lease-options.js';
import { leaseKey, readLease, type LeaseName } from '../lease/lease-record.js';

/**
 * Options of {@link leader$}. `leaseDuration` must be a whole number of seconds. The `logger`
 * receives a line when a replica leads, when this one wins, loses or releases leadership, and at
 * growing intervals while the Lease cannot be read or written.
 */
export interface LeaderOptions extends LeaseOptions {
  /** The Lease to compete for. The first replica creates it; its namespace must exist. */
  readonly lease: LeaseName;
  /**
   * The unique identity of this process, for example the name of the pod and a random UUID. An
   * earlier process of the same pod must not have had the same identity.
   */
  readonly identity: string;
  /** Releases the lease on unsubscribe (default true). If false, others wait until it expires. */
  readonly releaseOnUnsubscribe?: boolean | undefined;
  /**
   * Records an event about the Lease at each start and stop of leading, as client-go does (default:
   * none). Close it only after `released$` has completed, or the last event may be lost.
   */
  readonly recorder?: Pick<EventRecorder, 'record'> | undefined;
  /** Default: none. If a hook throws, its first error is logged; the election continues. */
  readonly metrics?: LeaderElectionMetrics | undefined;
}

/** Metrics hooks of one {@link leader$}. The names in parentheses are client-go's metrics. */
export interface LeaderElectionMetrics {
  /** At the start, on each change, and at the end if it led (`leader_election_master_status`). */
  leading(isLeading: boolean): void;
  /** A renewal without a read failed; the lease is read (`leader_election_slowpath_total`). */
  slowPath(): void;
}

const noMetrics: LeaderElectionMetrics = { leading: () => undefined, slowPath: () => undefined };

export interface ElectionConfig extends HolderConfig {
  /** Adds versions to those that this replica leaves to the next leader. */
  readonly leave?: HandOver['leave'] | undefined;
}

/**
 * Adds defaults. Throws a `RangeError` if one is invalid, or durations cannot work together (L1).
 */
export function checkedLeaderOptions(client: KubeClient, options: LeaderOptions) {
  const lease = { namespace: options.lease.namespace, name: options.lease.name };
  const { identity } = options;
  const subject = `leader election with Lease ${leaseKey(lease)}`;
  const checked = checkedLeaseOptions(client, options, subject, { lease: leaseKey(lease) });
  const problem = problemOf(lease, identity, checked.leaseDuration);
  if (problem !== undefined) throw new RangeError(`${subject}: ${problem}`);
  return {
    ...checked,
    lease,
    identity,
    ...electionRules(identity, checked.retryPeriod),
    releaseOnUnsubscribe: options.releaseOnUnsubscribe ?? true,
    metrics: options.metrics ?? noMetrics,
    recorder: options.recorder,
  };
}

export type CheckedLeaderOptions = ReturnType<typeof checkedLeaderOptions>;

/** Returns the rules of an election: the replica that the Lease names as its holder leads. */
export function electionRules(identity: string, retryPeriod: number) {
  return {
    isContested: true,
    isOurs: (lease) => readLease(lease).holder === identity,
    // A candidate waits 1 to 2.2 retry periods. A leader waits 1 retry period (L2).
    nextAttemptAt: ({ result, startedAt, at, random }: AttemptEnd) => {
      if (result === 'not-held') return at + retryPeriod * (1 + random * jitterFactor);
      return result === 'renewed' ? at + retryPeriod : Math.max(at, startedAt + retryPeriod);
    },
  } satisfies Partial<HolderConfig>;
}

function problemOf({ namespace, name }: LeaseName, identity: string, leaseDuration: number): string | undefined {
  if (!isName(namespace) || !isName(name)) return 'lease must have a namespace and a name, both without slashes';
  if (!isText(identity)) return 'identity must not be empty';
  if (leaseDuration % 1_000 !== 0)
    return `leaseDuration must be a multiple of 1000 ms, not ${leaseDuration} ms, because a Lease stores whole seconds`;
  return undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isName(value: unknown): boolean {
  return isText(value) && !(value as string).includes('/');
}
