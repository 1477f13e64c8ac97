import type { SchedulerLike } from 'rxjs';
import { steady, checkedDuration } from '../../time/clock.js';
import { containedHooks, containedRandom, warnOfHooks } from '../contained.js';
import type { LeaseName } from '../lease/lease-record.js';
import { silentLogger, type Logger } from '../logger.js';
import type { MembershipConfig } from './protocol.js';

/** Options of `membership$`; durations are milliseconds. */
export interface MembershipOptions {
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
   * For how long the other replicas wait for a renewal before they take this replica's keys
   * (default 15,000; written as whole seconds, rounded up). If it is shorter, they take over
   * faster, and a slow API server is tolerated less.
   */
  readonly leaseDuration?: number | undefined;
  /**
   * How long after its last renewal this replica gives up its keys (default 10,000). Work that was
   * aborted has to end in the time between this and `leaseDuration`. That time is also how much
   * faster another replica's clock may run.
   */
  readonly renewDeadline?: number | undefined;
  /**
   * The time between two renewals (default 2,000), jittered by a fifth. Each renewal is one
   * request, and one event for each replica.
   */
  readonly retryPeriod?: number | undefined;
  /**
   * For how long lost keys are kept from their new owner while work on them is not over (default
   * 30,000; `Infinity`: however long it takes). Then they are handed over, even if work that
   * ignores its signal still runs.
   */
  readonly releaseTimeout?: number | undefined;
  /**
   * Receives a line when this replica joins the group or leaves it, when the members or its slots
   * change, why it owns none, and, at growing intervals, while its Lease or the group cannot be
   * read or written (default: none). A logger that throws is ignored.
   */
  readonly logger?: Logger | undefined;
  /**
   * Metrics hooks (default: none). The first error that a hook throws is logged, and ends nothing.
   */
  readonly metrics?: MembershipMetrics | undefined;
  /** The clock and the timers (default `asyncScheduler`). Pass a virtual one in tests. */
  readonly scheduler?: SchedulerLike | undefined;
  /**
   * Returns numbers in [0, 1) for the jitter and for the mark of this process (default
   * `Math.random`).
   */
  readonly random?: (() => number) | undefined;
}

export type CheckedMembershipOptions = Required<{
  [Name in keyof MembershipOptions]: NonNullable<MembershipOptions[Name]>;
}>;

const labelValue = /^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/;
const longestName = 253;

/** The options with their defaults; throws a `RangeError` for what makes no sense (L1). */
export function checkedMembershipOptions(options: MembershipOptions): CheckedMembershipOptions {
  const { leaseDuration = 15_000, renewDeadline = 10_000, retryPeriod = 2_000, releaseTimeout = 30_000 } = options;
  const { group, identity, logger = silentLogger } = options;
  checkedDuration('the lease duration', leaseDuration);
  if (!(retryPeriod > 0)) throw new RangeError(`retryPeriod must be more than 0 ms, not ${retryPeriod}`);
  if (!(renewDeadline > retryPeriod * longestWait))
    throw new RangeError(
      `renewDeadline (${renewDeadline} ms) must be more than 1.2 times retryPeriod (${retryPeriod} ms)`,
    );
  if (!(leaseDuration > renewDeadline))
    throw new RangeError(`leaseDuration (${leaseDuration} ms) must be more than renewDeadline (${renewDeadline} ms)`);
  if (releaseTimeout !== Infinity) checkedDuration('releaseTimeout', releaseTimeout);
  if (!labelValue.test(group.name))
    throw new RangeError(
      `group.name ${JSON.stringify(group.name)} is no lower case label value of at most 63 characters`,
    );
  if (group.namespace === '') throw new RangeError('group.namespace is missing: Leases live in namespaces');
  if (!leaseNamePart.test(identity) || leaseNameOf(group.name, identity).length > longestName)
    throw new RangeError(identityProblem(group.name, identity));
  return {
    leaseDuration,
    renewDeadline,
    retryPeriod,
    releaseTimeout,
    logger,
    metrics: options.metrics ?? noMembershipMetrics,
    scheduler: steady(options.scheduler),
    random: containedRandom(options.random ?? Math.random, containedHooks(warnOfHooks(logger, { identity }))),
    group,
    identity,
  };
}

/** How much longer than `retryPeriod` a wait may be, by jitter. */
const longestWait = 1.2;

const leaseNamePart = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/**
 * Says what to pass instead, because host names such as `MacBook-Pro.local` and `web_1` are the
 * usual cause.
 */
function identityProblem(group: string, identity: string): string {
  const problem = `identity ${JSON.stringify(identity)} cannot be part of the name of a Lease`;
  if (leaseNameOf(group, identity).length > longestName)
    return `${problem}: "${group}-" and the identity have more than ${longestName} characters`;
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

export function membershipConfig(options: CheckedMembershipOptions): MembershipConfig {
  const { group, identity, leaseDuration, renewDeadline, retryPeriod, releaseTimeout, random } = options;
  return {
    namespace: group.namespace,
    group: group.name,
    identity,
    leaseName: leaseNameOf(group.name, identity),
    incarnation: Array.from({ length: 16 }, () => Math.floor(random() * 16).toString(16)).join(''),
    leaseDuration,
    renewDeadline,
    retryPeriod,
    releaseTimeout,
  };
}

/** Returns which Lease is that of this replica. */
export function leaseOf({ group, identity }: CheckedMembershipOptions): LeaseName {
  return { namespace: group.namespace, name: leaseNameOf(group.name, identity) };
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

export const noMembershipMetrics: MembershipMetrics = {
  members: () => undefined,
  ownedSlots: () => undefined,
  renewalFailed: () => undefined,
};
