import { objectKey } from '../../kubernetes/keys.js';
import { type KubernetesObject } from '../../kubernetes/object.js';
import { setField } from '../../kubernetes/share-structure.js';
import { type ChangeFold, createChangeFold } from '../model/collected-list.js';
import type {
  BookmarkEvent,
  ChangeEvent,
  ListedEvent,
  SourceStatus,
  StatusEvent,
  WatchEvent,
} from '../model/watch-event.js';

const leastHealthyFirst: readonly SourceStatus['state'][] = [
  'forbidden',
  'not-found',
  'backing-off',
  'reconnecting',
  'listing',
  'watching',
  'stopped',
];

/**
 * Returns the status of the least healthy source. If several sources are equally unhealthy, the
 * first of them counts. The numbers of a `listing` status are sums over all sources that list.
 */
export function leastHealthy(statuses: readonly StatusEvent[]): StatusEvent | undefined {
  const rank = ({ status }: StatusEvent): number => leastHealthyFirst.indexOf(status.state);
  const [first, ...others] = statuses;
  if (first === undefined) return undefined;
  const worst = others.reduce((least, event) => (rank(event) < rank(least) ? event : least), first);
  return worst.status.state === 'listing' ? { ...worst, status: allListing(worst.status, statuses) } : worst;
}

/** Returns the statuses by partition. A merged member is replaced by its own members. */
export function statusesByPartition(
  members: Iterable<{ readonly name: string; readonly status: StatusEvent | undefined }>,
): Readonly<Record<string, SourceStatus>> {
  const statuses: Record<string, SourceStatus> = {};
  for (const { name, status } of members) {
    const inner = status?.status.members;
    if (inner === undefined) {
      if (status !== undefined) setField(statuses, name, status.status);
      continue;
    }
    for (const [partition, of] of Object.entries(inner)) statuses[`${name}/${partition}`] = of;
  }
  return statuses;
}

/** Returns the status of a source that has completed, with the status of each of its members. */
export function stopped(last: StatusEvent): StatusEvent {
  const { members } = last.status;
  if (members === undefined) return { ...last, status: { state: 'stopped' } };
  const stoppedMembers = Object.keys(members).map((partition) => [partition, { state: 'stopped' }] as const);
  return { ...last, status: { state: 'stopped', members: Object.fromEntries(stoppedMembers) } };
}

type ListingStatus = SourceStatus & { readonly state: 'listing' };

/** Returns the sums. `expected` is set only if all report it: a partial sum would be too small. */
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

/** Compares two status events by value. Only their causes are compared by identity. */
export function isEqualStatusEvent(one: StatusEvent | undefined, other: StatusEvent | undefined): boolean {
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

/** Events that report objects or a version. */
type ContentEvent<T> = ChangeEvent<T> | ListedEvent<T> | BookmarkEvent;

/** Holds back events until all members have listed, as a list for each partition in order. */
export interface DeferredContent<T> {
  add(event: ContentEvent<T> & { readonly partition: string }): void;
  drop(partition: string): void;
  take(): readonly ListedEvent<T>[];
}

export function createDeferredContent<T>(): DeferredContent<T> {
  const contents = new Map<string, Content<T>>();
  return {
    add(event) {
      const content = contents.get(event.partition);
      contents.set(event.partition, event.type === 'LISTED' ? listedContent(event) : changedContent(content, event));
    },
    drop: (partition) => void contents.delete(partition),
    take() {
      const lists = [...contents].map(([partition, content]) => asList(partition, content));
      contents.clear();
      return lists;
    },
  };
}

interface Content<T> {
  readonly fold: ChangeFold<T>;
  readonly resourceVersion: string;
}

function listedContent<T>({ items, missing = [], resourceVersion }: ListedEvent<T>): Content<T> {
  const fold = createChangeFold<T>();
  for (const object of items) fold.apply({ type: 'upsert', object });
  for (const key of missing) fold.apply({ type: 'missing', key });
  return { fold, resourceVersion };
}

function changedContent<T>(content: Content<T> | undefined, event: ChangeEvent<T> | BookmarkEvent): Content<T> {
  const { fold, resourceVersion } = content ?? { fold: createChangeFold<T>(), resourceVersion: '' };
  if (event.type === 'BOOKMARK') return { fold, resourceVersion: event.resourceVersion };
  const { object } = event;
  fold.apply(event.type === 'DELETED' ? { type: 'delete', key: objectKey(object) } : { type: 'upsert', object });
  return { fold, resourceVersion: (object as KubernetesObject).metadata?.resourceVersion ?? resourceVersion };
}

function asList<T>(partition: string, { fold, resourceVersion }: Content<T>): ListedEvent<T> {
  const missing = fold.missing();
  return { type: 'LISTED', items: fold.items(), resourceVersion, ...(missing.length > 0 && { missing }), partition };
}

/** Returns the partition of an event of the member `name`, or `outer/inner` if it has one. */
export function partitionIn(name: string, inner: string | undefined): string {
  return inner === undefined ? name : `${name}/${inner}`;
}

/** Returns the event with the partition of its member. */
export function stampPartition<E extends WatchEvent<unknown>>(
  event: E,
  name: string,
): E & { readonly partition: string } {
  return { ...event, partition: partitionIn(name, event.partition) };
}
