import { isDnsSubdomain, maxNameLength } from '../../kubernetes/object.js';
import { checkedDuration } from '../../scheduling/clock.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import type { AttemptEnd, HolderConfig } from '../lease/holder.js';
import { checkedLeaseOptions, type LeaseOptions } from '../lease/lease-options.js';
import type { LeaseName } from '../lease/lease-record.js';
import { readMemberLease } from './claim.js';
import type { MembershipConfig } from './protocol.js';

/**
 * Options of {@link membership$}. Durations are milliseconds. The Lease stores `leaseDuration` in
 * whole seconds, rounded up. Jitter changes the wait between renewals by up to a fifth. Each
 * renewal costs one request, and one watch event for each replica.
 *
 * The `logger` receives a line when this replica joins or leaves the group, when the members or its
 * slots change, and when it owns no slots, with the reason. While its Lease or the group cannot be
 * read or written, it receives lines at growing intervals.
 */
export interface MembershipOptions extends LeaseOptions {
  /**
   * The group of replicas that share the keys. Its name is used as a label value, and at the
   * beginning of the names of the Leases.
   */
  readonly group: { readonly namespace: string; readonly name: string };
  /**
   * The unique identity of this replica, for example the name of its pod, or
   * `hostname().toLowerCase()`. The identity becomes part of the name of a Lease, so it may contain
   * only lower-case letters, digits, `-` and `.`. No two running processes may have the same
   * identity.
   */
  readonly identity: string;
  /**
   * How long lost keys are withheld from their new owner while work on them has not ended (default
   * 30,000; `Infinity` waits for the work). After this time the keys are handed over, even if work
   * that ignores its signal is still running.
   */
  readonly releaseTimeout?: number | undefined;
  /**
   * Metrics hooks (default: none). If a hook throws, its first error is logged, and the membership
   * continues.
   */
  readonly metrics?: MembershipMetrics | undefined;
}

/** Metrics hooks of one {@link membership$}. */
export interface MembershipMetrics {
  /**
   * Reports how many replicas of the group are alive, as far as this replica knows. Called at the
   * start, on each change, and with 0 at the end.
   */
  members(count: number): void;
  /**
   * Reports how many of the 1024 slots this replica owns. Called at the start, on each change, and
   * with 0 at the end.
   */
  ownedSlots(count: number): void;
  /**
   * Reports that a request for the Lease of this replica failed. Conflicts that are part of the
   * protocol are not reported.
   */
  renewalFailed(): void;
}

const noMetrics: MembershipMetrics = {
  members: () => undefined,
  ownedSlots: () => undefined,
  renewalFailed: () => undefined,
};

/**
 * Returns the options with their defaults.
 *
 * @throws RangeError if an option is invalid or the durations cannot work together (L1)
 */
export function checkedMembershipOptions(client: KubeClient, options: MembershipOptions) {
  const { group, identity, releaseTimeout = 30_000 } = options;
  const subject = `membership of group ${group.namespace}/${group.name}`;
  const checked = checkedLeaseOptions(client, options, subject, { identity });
  if (releaseTimeout !== Infinity) checkedDuration('releaseTimeout', releaseTimeout);
  const problem = problemOf(options);
  if (problem !== undefined) throw new RangeError(`${subject}: ${problem}`);
  const lease: LeaseName = { namespace: group.namespace, name: leaseNameOf(group.name, identity) };
  return { ...checked, group: group.name, identity, lease, releaseTimeout, metrics: options.metrics ?? noMetrics };
}

/** The options of one `membership$` with their defaults. */
export type CheckedMembershipOptions = ReturnType<typeof checkedMembershipOptions>;

/** Returns the configuration of one run of a membership, with a new incarnation. */
export function membershipConfig(options: CheckedMembershipOptions): MembershipConfig {
  const incarnation = Array.from({ length: 16 }, () => Math.floor(options.random() * 16).toString(16)).join('');
  return { ...options, incarnation, ...membershipRules(incarnation, options.retryPeriod) };
}

/** Returns the rules of a membership: each member is the only writer of its Lease. */
export function membershipRules(incarnation: string, retryPeriod: number) {
  return {
    isContested: false,
    isOurs: (lease) => readMemberLease(lease).claim?.incarnation === incarnation,
    nextAttemptAt: ({ result, sentAt, at, random }: AttemptEnd) =>
      (result === 'renewed' ? sentAt : at) + retryPeriod * (0.8 + 0.4 * random),
  } satisfies Partial<HolderConfig>;
}

function problemOf({ group, identity }: MembershipOptions): string | undefined {
  if (group.name.length > 63 || !isDnsSubdomain(group.name))
    return `group.name must be a lower-case label value of at most 63 characters, not ${JSON.stringify(group.name)}`;
  if (group.namespace === '') return 'group.namespace is missing; pass the namespace of the Leases';
  const isUsable = isDnsSubdomain(identity) && isDnsSubdomain(leaseNameOf(group.name, identity));
  return isUsable ? undefined : identityProblem(group.name, identity);
}

/**
 * Returns the message for an invalid identity. The message suggests a valid identity, because host
 * names such as `MacBook-Pro.local` and `web_1` are the usual cause.
 */
function identityProblem(group: string, identity: string): string {
  const problem = `identity ${JSON.stringify(identity)} cannot be part of the name of a Lease`;
  if (leaseNameOf(group, identity).length > maxNameLength)
    return `${problem}: "${group}-" and the identity have more than ${maxNameLength} characters`;
  const labels = identity
    .toLowerCase()
    .replace(/[^-a-z0-9.]+/g, '-')
    .split('.');
  const usable = labels.map((label) => label.replace(/^-+|-+$/g, '')).filter((label) => label !== '');
  const example = usable.length === 0 ? '' : `; pass for example ${JSON.stringify(usable.join('.'))}`;
  return `${problem}: use lower-case letters, digits, "-" and "."${example}`;
}

function leaseNameOf(group: string, identity: string): string {
  return `${group}-${identity}`;
}
