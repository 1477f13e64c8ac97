import { informer, listWatch, type KubernetesObject } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { collectionHistory, type CollectionHistory } from 'rx-informers/history';
import { window$ } from 'rx-informers/views';
import { Subscription } from 'rxjs';
import { countRequests } from './counting-client.js';
import {
  bucketOf,
  countErrors,
  fold,
  latest,
  rowOf,
  rowsOf,
  viewOf,
  type Observer,
  type ObserverSetting,
  type View,
} from './observer.js';

/** Returns an observer with what is computed from one informer: collections, history, window. */
export function observerOfCollections({ client, resource, limits, log }: ObserverSetting): Observer {
  const counted = countRequests(client);
  const objects = informer(listWatch(counted, resource, limits));
  const errors = new Map<string, number>();
  const contradictions: string[] = [];
  const subscriptions = new Subscription();
  subscriptions.add(objects.errors$.subscribe(countErrors('collections', errors, log)));

  const isSelected = (object: KubernetesObject): boolean => ['1', '2', '3'].includes(bucketOf(object));
  const selected = derived.filter(objects, isSelected);
  const counts = derived.groupBy(objects, (object) => [bucketOf(object)], { objects: derived.count() });
  // Joins each object with the object of the same name in the next namespace.
  const pairs = derived.leftJoin(objects, objects, { on: keyOfPartner, select: pair });
  for (const collection of [counts, pairs]) subscriptions.add(collection.connect());

  const past = collectionHistory(objects, { for: 30_000 });
  subscriptions.add(past.connect());
  const shown = { offset: 5, limit: 20 };
  const sorted = latest(window$(objects, { ...shown, sortBy: [{ value: bucketOf }] }), undefined, subscriptions);

  const views: readonly View[] = [
    viewOf('filter', fold(selected.changes$, contradictions, subscriptions), isSelected),
    {
      name: 'groupBy',
      shown: () => counts.list().map(({ group, objects: size }) => `${group} ${size}`),
      expected: (listed) =>
        Array.from(new Set(listed.map(bucketOf)), (bucket) => {
          const { length } = listed.filter((object) => bucketOf(object) === bucket);
          return `${bucket} ${length}`;
        }),
    },
    {
      name: 'leftJoin',
      shown: () => pairs.list().map(textOfPair),
      expected: (listed) => {
        const byKey = new Map(listed.map((object) => [keyOf(object), object]));
        return listed.map((left) => textOfPair(pair(left, byKey.get(keyOfPartner(left)))));
      },
    },
    {
      name: 'window$',
      shown: () => rowsOf(sorted()?.rows ?? []),
      expected: (listed) =>
        rowsOf(
          [...listed]
            .sort((a, b) => compareText(bucketOf(a), bucketOf(b)) || compareText(keyOf(a), keyOf(b)))
            .slice(shown.offset, shown.offset + shown.limit),
        ),
    },
    viewOf('history: at', () => (past.newest === undefined ? [] : past.at(past.newest).list())),
    viewOf('history: the oldest version and what changed since', () => replay(past)),
  ];
  return {
    name: 'collections',
    client: counted,
    watches: 1,
    views,
    contradictions,
    errors,
    stop: () => {
      subscriptions.unsubscribe();
      past.stop();
      objects.stop();
    },
  };
}

/** Returns the objects of the oldest version after all later changes. */
function replay(past: CollectionHistory<KubernetesObject>): Iterable<KubernetesObject> {
  const { oldest, newest } = past;
  if (oldest === undefined || newest === undefined) return [];
  const objects = new Map(
    past
      .at(oldest)
      .list()
      .map((object) => [keyOf(object), object]),
  );
  for (const change of past.diff(oldest, newest).changes) {
    if (change.type === 'deleted') objects.delete(change.key);
    else objects.set(change.key, change.object);
  }
  return objects.values();
}

interface Pair {
  readonly left: KubernetesObject;
  readonly right: KubernetesObject | undefined;
}

const pair = (left: KubernetesObject, right: KubernetesObject | undefined): Pair => ({ left, right });
const textOfPair = ({ left, right }: Pair): string => `${rowOf(left)} ${right === undefined ? '–' : rowOf(right)}`;

function keyOf({ metadata = {} }: KubernetesObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

/** The namespaces of the soak end with their number. */
function keyOfPartner({ metadata = {} }: KubernetesObject): string {
  const [, prefix = '', number = ''] = /^(.*?)(\d+)$/.exec(metadata.namespace ?? '') ?? [];
  return `${prefix}${Number(number) + 1}/${metadata.name ?? ''}`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
