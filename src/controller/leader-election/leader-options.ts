import { invalidOptionError } from '../../kubernetes/errors.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import type { EventRecorder } from '../events/recorder-options.js';
import { checkedLeaseOptions, type LeaseOptions, type OptionProblem } from '../lease/lease-options.js';
import { leaseKey, type LeaseName } from '../lease/lease-record.js';
import { electionRules } from './leadership.js';

/**
 * Options of {@link leader$}. `LeaseOptions` has the durations and their defaults. `leaseDuration`
 * must be a whole number of seconds. The `logger` receives a line when a replica leads, when this
 * one wins, loses or releases leadership, and at growing intervals while the Lease cannot be read
 * or written.
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

/** Adds defaults. Throws `RXI_INVALID_OPTION` if one is invalid, or durations do not fit (L1). */
export function checkedLeaderOptions(client: KubeClient, options: LeaderOptions) {
  const lease = { namespace: options.lease.namespace, name: options.lease.name };
  const { identity } = options;
  const subject = `leader election with Lease ${leaseKey(lease)}`;
  const checked = checkedLeaseOptions(client, options, subject, { lease: leaseKey(lease) });
  const problem = leaseProblem(lease, identity, checked.leaseDuration);
  if (problem !== undefined) throw invalidOptionError(...problem, subject);
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

function leaseProblem(lease: LeaseName, identity: string, leaseDuration: number): OptionProblem | undefined {
  if (!isName(lease.namespace) || !isName(lease.name))
    return ['lease', lease, 'a namespace and a name, both without slashes'];
  if (!isText(identity)) return ['identity', identity, 'a text that is not empty'];
  if (leaseDuration % 1_000 !== 0)
    return ['leaseDuration', leaseDuration, 'a multiple of 1000 ms, because a Lease stores whole seconds'];
  return undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isName(value: unknown): boolean {
  return isText(value) && !(value as string).includes('/');
}
