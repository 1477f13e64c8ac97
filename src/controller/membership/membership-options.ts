import { invalidOptionError } from '../../kubernetes/errors.js';
import { isDnsSubdomain, maxNameLength } from '../../kubernetes/object.js';
import { checkedDuration } from '../../scheduling/clock.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import { checkedLeaseOptions, type LeaseOptions, type OptionProblem } from '../lease/lease-options.js';
import type { AttemptEnd, HolderConfig } from '../lease/lease-protocol.js';
import type { LeaseName } from '../lease/lease-record.js';
import { readMemberLease } from './claim.js';
import type { MembershipConfig } from './protocol.js';

/**
 * Options of {@link membership$}, in milliseconds; the Lease stores `leaseDuration` in seconds,
 * rounded up. Jitter changes the wait by up to a fifth. A renewal costs one request, and one watch
 * event per replica. The `logger` receives a line when this replica joins or leaves, when members
 * or slots change, why it owns no slots, and at growing intervals while its Lease or the group
 * cannot be read or written.
 */
export interface MembershipOptions extends LeaseOptions {
  /** Shares the keys. The name is a label value, and the beginning of the names of the Leases. */
  readonly group: { readonly namespace: string; readonly name: string };
  /**
   * Unique among running processes, for example the name of the pod, or `hostname().toLowerCase()`.
   * Part of the name of a Lease: only lower-case letters, digits, `-` and `.`.
   */
  readonly identity: string;
  /**
   * Milliseconds for which lost keys are withheld from their new owner while work on them has not
   * ended (default 30,000; `Infinity`: no limit). Work that ignores its signal may outlast it.
   */
  readonly releaseTimeout?: number | undefined;
  /** Default: none. If a hook throws, its first error is logged; the membership continues. */
  readonly metrics?: MembershipMetrics | undefined;
}

/** Metrics hooks of one {@link membership$}. */
export interface MembershipMetrics {
  /** The known live replicas of the group: at the start, on each change, and 0 at the end. */
  members(count: number): void;
  /** The owned ones of the 1024 slots: at the start, on each change, and 0 at the end. */
  ownedSlots(count: number): void;
  /** A request for this replica's Lease failed. Conflicts of the protocol are not reported. */
  renewalFailed(): void;
}

const noMetrics: MembershipMetrics = {
  members: () => undefined,
  ownedSlots: () => undefined,
  renewalFailed: () => undefined,
};

/** Adds defaults. Throws `RXI_INVALID_OPTION` if one is invalid, or durations do not fit (L1). */
export function checkedMembershipOptions(client: KubeClient, options: MembershipOptions) {
  const { group, identity, releaseTimeout = 30_000 } = options;
  const subject = `membership of group ${group.namespace}/${group.name}`;
  const checked = checkedLeaseOptions(client, options, subject, { identity });
  if (releaseTimeout !== Infinity) checkedDuration('releaseTimeout', releaseTimeout);
  const problem = groupProblem(options);
  if (problem !== undefined) throw invalidOptionError(...problem, subject);
  const lease: LeaseName = { namespace: group.namespace, name: leaseNameOf(group.name, identity) };
  return { ...checked, group: group.name, identity, lease, releaseTimeout, metrics: options.metrics ?? noMetrics };
}

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

function groupProblem({ group, identity }: MembershipOptions): OptionProblem | undefined {
  if (group.name.length > 63 || !isDnsSubdomain(group.name))
    return ['group.name', group.name, 'a lower-case label value of at most 63 characters'];
  if (group.namespace === '') return ['group.namespace', '', 'the namespace of the Leases'];
  const isUsable = isDnsSubdomain(identity) && isDnsSubdomain(leaseNameOf(group.name, identity));
  return isUsable ? undefined : ['identity', identity, expectedIdentity(group.name, identity)];
}

/**
 * Returns what an invalid identity must be. It suggests a valid identity, because host names such
 * as `MacBook-Pro.local` and `web_1` are the usual cause.
 */
function expectedIdentity(group: string, identity: string): string {
  if (leaseNameOf(group, identity).length > maxNameLength)
    return `so short that "${group}-" and the identity have at most ${maxNameLength} characters, the name of a Lease`;
  const labels = identity
    .toLowerCase()
    .replace(/[^-a-z0-9.]+/g, '-')
    .split('.');
  const usable = labels.map((label) => label.replace(/^-+|-+$/g, '')).filter((label) => label !== '');
  const example = usable.length === 0 ? '' : ` (for example ${JSON.stringify(usable.join('.'))})`;
  return `of lower-case letters, digits, "-" and "."${example}, because it is part of the name of a Lease`;
}

function leaseNameOf(group: string, identity: string): string {
  return `${group}-${identity}`;
}
