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

/** Whether two status events say the same; causes are compared by identity. */
export function saysTheSame(one: StatusEvent | undefined, other: StatusEvent | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  const fields = { ...one.status, partition: one.partition } as Readonly<Record<string, unknown>>;
  const others = { ...other.status, partition: other.partition } as Readonly<Record<string, unknown>>;
  const names = Object.keys(fields);
  return names.length === Object.keys(others).length && names.every((name) => Object.is(fields[name], others[name]));
}
