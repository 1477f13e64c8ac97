import * as derived from 'rx-informers/derived';
import { createIndexer, metaNamespaceKey } from 'rx-informers';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { describeOracle, randomInput } from './support/oracle.js';
import { expectSameWork } from './support/work.js';
import { failsOn, randomPod, unlessItFails } from './support/random.js';

describe('filter', () => {
  describeOracle('filter', { pods: randomInput(randomPod) }, ({ inputs: { pods }, options }) => ({
    collection: derived.filter(
      pods,
      (pod) => {
        failsOn(pod);
        return pod.metadata.labels?.['app'] === 'x';
      },
      { ...options, indexers: { node: byNode } },
    ),
    isSame: Object.is,
    expected: () =>
      new Map(
        pods
          .keys()
          .map((key) => [key, pods.get(key)] as const)
          .filter(([, pod]) =>
            unlessItFails(() => {
              failsOn(pod);
              return pod?.metadata.labels?.['app'] === 'x';
            }),
          ),
      ),
  }));
});

describe('filter: cost', () => {
  it('J5: one change costs one call of the predicate, whatever the number of objects', () => {
    const cost = expectSameWork((size, { counted, options }) => {
      const pods = createIndexer<Pod>(metaNamespaceKey, {});
      pods.replace(Array.from({ length: size }, (_, number) => aPod({ name: `pod-${number}`, node: 'n1' })));
      const predicate = counted('predicate', (pod: Pod) => pod.spec.nodeName === 'n1');
      derived.filter(pods, predicate, options).connect();
      return () => {
        pods.update(aPod({ name: 'pod-7', node: 'n2' }));
      };
    });
    expect(cost).toMatchObject({ predicate: 1 });
  });
});
