import type { KubeClient } from '../../sources/client/kube-client.js';
import type { EventRecorder } from '../events/recorder-options.js';
import type { AttemptEnd, HolderConfig } from '../lease/holder.js';
import { checkedLeaseOptions, jitterFactor, type LeaseOptions } from '../lease/lease-options.js';
import { leaseKey, readLease, type LeaseName } from '../lease/lease-record.js';

/**
 * Options of `leader$`. `leaseDuration` is a whole number of seconds.
 *
 * The `logger` receives a line when another replica leads, when leadership is won, lost or
 * released, and, at growing intervals, while the Lease cannot be read or written.
 */
export interface LeaderOptions extends LeaseOptions {
  /**
   * The Lease that the replicas compete for. The first one creates it. Its namespace must exist.
   */
  readonly lease: LeaseName;
  /**
   * What tells this process from all others, also from an earlier one of the same pod: the name of
   * the pod and a random UUID.
   */
  readonly identity: string;
  /**
   * Releases the lease when the last subscriber leaves (default true). If false, other replicas
   * wait until it has expired.
   */
  readonly releaseOnUnsubscribe?: boolean | undefined;
  /**
   * Records an event about the Lease when this replica starts and stops leading (default: none), as
   * client-go does. Costs one event each. Close the recorder after `released$` has completed, or
   * the last event may not be written.
   */
  readonly recorder?: Pick<EventRecorder, 'record'> | undefined;
  /**
   * Metrics hooks (default: none). The first error that a hook throws is logged, and ends nothing.
   */
  readonly metrics?: LeaderElectionMetrics | undefined;
}

/** Metrics hooks of one `leader$`. The names in brackets are those of client-go's metrics. */
export interface LeaderElectionMetrics {
  /**
   * Reports whether this replica leads (`leader_election_master_status`): at the start, on each
   * change, and at the end if it led.
   */
  leading(isLeading: boolean): void;
  /**
   * A renewal without a read failed, so the lease is read first (`leader_election_slowpath_total`).
   */
  slowPath(): void;
}

const noMetrics: LeaderElectionMetrics = { leading: () => undefined, slowPath: () => undefined };

/** What the protocol needs to know. */
export type ElectionConfig = HolderConfig;

/** Returns the options with their defaults; throws a `RangeError` if they make no sense (L1). */
export function checkedLeaderOptions(client: KubeClient, options: LeaderOptions) {
  const lease = { namespace: options.lease.namespace, name: options.lease.name };
  const { identity } = options;
  const subject = `leader election of ${leaseKey(lease)}`;
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

/** The options of one `leader$` with their defaults. */
export type CheckedLeaderOptions = ReturnType<typeof checkedLeaderOptions>;

/** Returns how candidates hold a Lease: the one that the Lease names leads. */
export function electionRules(identity: string, retryPeriod: number) {
  return {
    isContested: true,
    isOurs: (lease) => readLease(lease).holder === identity,
    // L2: a candidate waits between one and 2.2 retry periods, a leader one.
    nextAttemptAt: ({ result, startedAt, at, random }: AttemptEnd) => {
      if (result === 'not-held') return at + retryPeriod * (1 + random * jitterFactor);
      return result === 'renewed' ? at + retryPeriod : Math.max(at, startedAt + retryPeriod);
    },
  } satisfies Partial<HolderConfig>;
}

function problemOf({ namespace, name }: LeaseName, identity: string, leaseDuration: number): string | undefined {
  if (!isName(namespace) || !isName(name)) return 'a lease has a namespace and a name, without slashes';
  if (!isText(identity)) return 'the identity is empty';
  if (leaseDuration % 1_000 !== 0) return `leaseDuration is ${leaseDuration} ms; a lease holds whole seconds`;
  return undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isName(value: unknown): boolean {
  return isText(value) && !(value as string).includes('/');
}
