import type { KubeClient } from '../../sources/client/kube-client.js';
import type { EventRecorder } from '../events/recorder-options.js';
import type { HandOver } from '../lease/hand-over.js';
import type { AttemptEnd, HolderConfig } from '../lease/holder.js';
import { checkedLeaseOptions, jitterFactor, type LeaseOptions } from '../lease/lease-options.js';
import { leaseKey, readLease, type LeaseName } from '../lease/lease-record.js';

/**
 * Options of {@link leader$}. `leaseDuration` must be a whole number of seconds.
 *
 * The `logger` receives a line when another replica leads, and when this replica wins, loses or
 * releases leadership. While the Lease cannot be read or written, it receives lines at growing
 * intervals.
 */
export interface LeaderOptions extends LeaseOptions {
  /**
   * The Lease that the replicas compete for. The first replica creates it. Its namespace must
   * exist.
   */
  readonly lease: LeaseName;
  /**
   * The unique identity of this process, for example the name of the pod and a random UUID. An
   * earlier process of the same pod must not have had the same identity.
   */
  readonly identity: string;
  /**
   * Releases the lease when the last subscriber leaves (default true). If false, other replicas
   * wait until the lease has expired.
   */
  readonly releaseOnUnsubscribe?: boolean | undefined;
  /**
   * Records an event about the Lease each time this replica starts or stops leading, as client-go
   * does (default: none). Close the recorder only after `released$` has completed; otherwise the
   * last event may not be written.
   */
  readonly recorder?: Pick<EventRecorder, 'record'> | undefined;
  /**
   * Metrics hooks (default: none). If a hook throws, its first error is logged, and the election
   * continues.
   */
  readonly metrics?: LeaderElectionMetrics | undefined;
}

/** Metrics hooks of one {@link leader$}. The names in parentheses are client-go's metrics. */
export interface LeaderElectionMetrics {
  /**
   * Reports whether this replica leads (`leader_election_master_status`): at the start, on each
   * change, and at the end if it led.
   */
  leading(isLeading: boolean): void;
  /**
   * Reports that a renewal without a read failed. The lease is read next
   * (`leader_election_slowpath_total`).
   */
  slowPath(): void;
}

const noMetrics: LeaderElectionMetrics = { leading: () => undefined, slowPath: () => undefined };

/** The settings of the protocol. */
export interface ElectionConfig extends HolderConfig {
  /** Adds versions to those that this replica leaves to the next leader. */
  readonly leave?: HandOver['leave'] | undefined;
}

/**
 * Returns the options with their defaults.
 *
 * @throws RangeError if an option is invalid or the durations cannot work together (L1)
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

/** The options of one `leader$` with their defaults. */
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
