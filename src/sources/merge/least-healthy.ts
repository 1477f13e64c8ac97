import type { SourceStatus } from '../source-status.js';
import type { StatusEvent } from '../watch-event.js';

const leastHealthyFirst: readonly SourceStatus['state'][] = [
  'forbidden',
  'not-found',
  'backing-off',
  'reconnecting',
  'listing',
  'watching',
  'stopped',
];

/** The status of the least healthy source, the first among equals; where that one is listing, with the numbers of all that are. */
export function leastHealthy(statuses: readonly StatusEvent[]): StatusEvent | undefined {
  const rank = ({ status }: StatusEvent): number => leastHealthyFirst.indexOf(status.state);
  const [first, ...others] = statuses;
  if (first === undefined) return undefined;
  const worst = others.reduce((least, event) => (rank(event) < rank(least) ? event : least), first);
  return worst.status.state === 'listing' ? { ...worst, status: allListing(worst.status, statuses) } : worst;
}

/** Returns the status of each member by partition; a member that is itself merged is named by its own members. */
export function statusesByPartition(
  members: Iterable<{ readonly name: string; readonly status: StatusEvent | undefined }>,
): Readonly<Record<string, SourceStatus>> {
  const statuses: Record<string, SourceStatus> = {};
  for (const { name, status } of members) {
    const inner = status?.status.members;
    if (inner === undefined) {
      if (status !== undefined) statuses[name] = status.status;
      continue;
    }
    for (const [partition, of] of Object.entries(inner)) statuses[`${name}/${partition}`] = of;
  }
  return statuses;
}

type ListingStatus = SourceStatus & { readonly state: 'listing' };

/** `expected` only where every source that lists says so: half a sum would promise too little. */
function allListing(status: ListingStatus, statuses: readonly StatusEvent[]): ListingStatus {
  const listing = statuses.map((event) => event.status).filter((each) => each.state === 'listing');
  const received = listing.reduce((sum, each) => sum + each.received, 0);
  const { expected: _own, ...rest } = status;
  const expected = listing.reduce<number | undefined>(
    (sum, each) => (sum === undefined || each.expected === undefined ? undefined : sum + each.expected),
    0,
  );
  return { ...rest, received, ...(expected !== undefined && { expected }) };
}

/** Compares two status events by value, and causes by identity. */
export function saysTheSame(one: StatusEvent | undefined, other: StatusEvent | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.partition === other.partition && isSame(one.status, other.status, isSameStatus);
}

type Fields = Readonly<Record<string, unknown>>;

function isSameStatus(one: unknown, other: unknown, name: string): boolean {
  return name === 'members'
    ? isSame(one as Fields, other as Fields, (member, otherMember) => isSame(member as Fields, otherMember as Fields))
    : Object.is(one, other);
}

function isSame(
  fields: Fields,
  others: Fields,
  isEqual: (one: unknown, other: unknown, name: string) => boolean = Object.is,
): boolean {
  if (fields === others) return true;
  const names = Object.keys(fields);
  return (
    names.length === Object.keys(others).length && names.every((name) => isEqual(fields[name], others[name], name))
  );
}
