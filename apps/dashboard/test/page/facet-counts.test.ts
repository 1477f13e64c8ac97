import * as fc from 'fast-check';
import { createIndexer, type Pod } from 'rx-informers';
import { metaNamespaceKey } from 'rx-informers/store';
import { aPod } from 'rx-informers/testing';
import { facetCounts } from '../../page/facets/facet-counts.js';
import { labelFacets } from '../../page/facets/facet-names.js';
import { shownSecond } from '../../page/history/shown-time.js';
import { podEntries } from '../../page/pods/pod-entries.js';
import { filterPredicate, noFilter, podPairs, splitPair, toggled, type PodFilter } from '../../page/pods/pod-filter.js';

let version = 0;

function podOf(name: string, namespace: string, node: string, labels: Record<string, string>): Pod {
  return aPod({ name, namespace, node, labels, resourceVersion: ++version });
}

function setup(filter: PodFilter) {
  const pods = createIndexer((pod: Pod) => metaNamespaceKey(pod), {});
  const counts = facetCounts(podEntries(pods, shownSecond), filter);
  const connection = counts.snapshot$.subscribe();
  const countsNow = (): Record<string, number> =>
    Object.fromEntries(counts.snapshot.list().map(({ group, pods: total }) => [group, total]));
  return { pods, countsNow, close: () => connection.unsubscribe() };
}

/** The counts from scratch: a pod counts for a facet if it matches all others. */
function countedAnew(pods: readonly Pod[], filter: PodFilter): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const pod of pods) {
    const entry = { pod, pairs: podPairs(pod) };
    for (const pair of ['all=', ...entry.pairs]) {
      const { [splitPair(pair)[0]]: _, ...others } = filter.chosen;
      if (filterPredicate({ ...filter, chosen: others })?.(entry) === false) continue;
      counts[pair] = (counts[pair] ?? 0) + 1;
    }
  }
  return counts;
}

describe('the counts of facets', () => {
  it('are narrowed by the values chosen in other facets, and not in their own', () => {
    const { pods, countsNow, close } = setup(toggled(noFilter, 'namespace', 'shop'));
    pods.replace([podOf('a', 'shop', 'n1', {}), podOf('b', 'shop', 'n2', {}), podOf('c', 'blog', 'n2', {})]);
    expect(countsNow()).toMatchObject({ 'namespace=shop': 2, 'namespace=blog': 1, 'node=n1': 1, 'node=n2': 1 });
    pods.update(podOf('c', 'blog', 'n1', {}));
    pods.update(podOf('b', 'shop', 'n1', {}));
    expect(countsNow()).toMatchObject({ 'namespace=shop': 2, 'namespace=blog': 1, 'node=n1': 2 });
    expect(countsNow()['node=n2']).toBeUndefined();
    close();
  });

  it('J3: equal a count from scratch after any additions, changes and deletions, with any filter', () => {
    const word = fc.constantFrom('a', 'b', 'c');
    const facet = fc.constantFrom('namespace', 'node', 'label.x', 'label.y', 'app');
    const filters = fc.record({
      chosen: fc.dictionary(facet, fc.uniqueArray(word, { minLength: 1 }), { maxKeys: 3 }),
      text: fc.constantFrom('', 'a', 'b c'),
    });
    const step = fc.record({
      name: fc.integer({ min: 0, max: 9 }),
      namespace: word,
      node: word,
      x: word,
      y: word,
      isGone: fc.boolean(),
    });
    fc.assert(
      fc.property(filters, fc.array(step, { maxLength: 30 }), (filter, steps) => {
        const { pods, countsNow, close } = setup(filter);
        const known = new Map<string, Pod>();
        for (const { name, namespace, node, x, y, isGone } of steps) {
          const pod = podOf(`pod-${name}`, namespace, node, { x, y, app: x });
          const key = metaNamespaceKey(pod);
          if (isGone) {
            pods.delete(key);
            known.delete(key);
          } else {
            pods.update(pod);
            known.set(key, pod);
          }
        }
        expect(countsNow()).toEqual(countedAnew([...known.values()], filter));
        close();
      }),
      { numRuns: 60 },
    );
  });
});

describe('the facets of labels', () => {
  it('are listed by their short names, without labels that divide the pods like another one', () => {
    const { pods, countsNow, close } = setup(noFilter);
    const labels = (app: string, tier: string) => ({
      'app.kubernetes.io/name': app,
      'app.kubernetes.io/instance': app,
      'example.com/tier': tier,
      a: `${tier}-team`,
    });
    pods.replace([
      podOf('a', 'shop', 'n1', labels('web', 'front')),
      podOf('b', 'shop', 'n1', labels('api', 'back')),
      podOf('c', 'shop', 'n1', labels('db', 'back')),
    ]);
    const counts = Object.entries(countsNow()).map(([group, total]) => ({ group, pods: total }));
    expect(labelFacets(counts)).toEqual(['app', 'label.a', 'label.example.com/tier']);
    close();
  });

  it('do not include "App" if it divides the pods like the workloads do, but include it if an app has several workloads', () => {
    const workloads = [
      { group: 'owner=Deployment/shop/web', pods: 3 },
      { group: 'owner=StatefulSet/shop/db', pods: 1 },
      { group: 'label.app.kubernetes.io/name=web', pods: 3 },
      { group: 'label.app.kubernetes.io/name=db', pods: 1 },
    ];
    expect(labelFacets([...workloads, { group: 'app=web', pods: 3 }, { group: 'app=db', pods: 1 }])).toEqual([]);
    expect(labelFacets([...workloads, { group: 'app=shop', pods: 4 }])).toEqual(['app']);
  });
});
