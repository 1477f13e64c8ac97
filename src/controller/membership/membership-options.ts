import type { KubeClient } from '../../sources/client/kube-client.js';
import { isDnsSubdomain, maxNameLength } from '../../kubernetes/object.js';
import { checkedDuration } from '../../time/clock.js';
import type { AttemptEnd, HolderConfig } from '../lease/holder.js';
import { checkedLeaseOptions, type LeaseOptions } from '../lease/lease-options.js';
import type { LeaseName } from '../lease/lease-record.js';
import { readMemberLease } from './claim.js';
import type { MembershipConfig } from './protocol.js';

/**
 * Options of `membership$`; durations are milliseconds. `leaseDuration` is written as whole
 * seconds, rounded up, and renewals are jittered by a fifth; each is one request, and one event for
 * each replica.
 *
 * The `logger` receives a line when this replica joins the group or leaves it, when the members or
 * its slots change, why it owns none, and, at growing intervals, while its Lease or the group
 * cannot be read or written.
 */
export interface MembershipOptions extends LeaseOptions {
  /**
   * The replicas that share the keys. Its name is a label value, and the beginning of the names of
   * their Leases.
   */
  readonly group: { readonly namespace: string; readonly name: string };
  /**
   * What tells this replica from the others: the name of its pod, or `hostname().toLowerCase()`. It
   * becomes part of the name of a Lease, so it has lower-case letters, digits, `-` and `.` only. No
   * two processes may have the same at a time.
   */
  readonly identity: string;
  /**
   * For how long lost keys are kept from their new owner while work on them is not over (default
   * 30,000; `Infinity`: however long it takes). Then they are handed over, even if work that
   * ignores its signal still runs.
   */
  readonly releaseTimeout?: number | undefined;
  /**
   * Metrics hooks (default: none). The first error that a hook throws is logged, and ends nothing.
   */
  readonly metrics?: MembershipMetrics | undefined;
}

/** Metrics hooks of one `membership$`. */
export interface MembershipMetrics {
  /**
   * How many replicas of the group are alive, as far as this one knows: at the start, on each
   * change, and 0 at the end.
   */
  members(count: number): void;
  /**
   * How many of the 1024 slots this replica owns: at the start, on each change, and 0 at the end.
   */
  ownedSlots(count: number): void;
  /**
   * A request for the Lease of this replica failed. Conflicts that are part of the protocol do not
   * count.
   */
  renewalFailed(): void;
}

const noMetrics: MembershipMetrics = {
  members: () => undefined,
  ownedSlots: () => undefined,
  renewalFailed: () => undefined,
};

/** Returns the options with their defaults; throws a `RangeError` if they make no sense (L1). */
export function checkedMembershipOptions(client: KubeClient, options: MembershipOptions) {
  const { group, identity, releaseTimeout = 30_000 } = options;
  const subject = `membership of group ${group.namespace}/${group.name}`;
  const checked = checkedLeaseOptions(client, options, subject, { identity });
  if (releaseTimeout !== Infinity) checkedDuration('releaseTimeout', releaseTimeout);
  const problem = problemOf(options);
  if (problem !== undefined) throw new RangeError(problem);
  const lease: LeaseName = { namespace: group.namespace, name: leaseNameOf(group.name, identity) };
  return { ...checked, group: group.name, identity, lease, releaseTimeout, metrics: options.metrics ?? noMetrics };
}

/** The options of one `membership$` with their defaults. */
export type CheckedMembershipOptions = ReturnType<typeof checkedMembershipOptions>;

/** Returns the configuration of one life of a replica: each has an incarnation of its own. */
export function membershipConfig(options: CheckedMembershipOptions): MembershipConfig {
  const incarnation = Array.from({ length: 16 }, () => Math.floor(options.random() * 16).toString(16)).join('');
  return { ...options, incarnation, ...membershipRules(incarnation, options.retryPeriod) };
}

/** Returns how a member holds its Lease: it is the only one that writes it. */
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
    return `group.name ${JSON.stringify(group.name)} is not a lower-case label value of at most 63 characters`;
  if (group.namespace === '') return 'group.namespace is missing: Leases live in namespaces';
  const isUsable = isDnsSubdomain(identity) && isDnsSubdomain(leaseNameOf(group.name, identity));
  return isUsable ? undefined : identityProblem(group.name, identity);
}

/**
 * Says what to pass instead, because host names such as `MacBook-Pro.local` and `web_1` are the
 * usual cause.
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
