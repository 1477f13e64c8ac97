import * as derived from 'rx-informers/derived';
import { byNode } from '../fixtures/pods.js';
import { describeOracle, randomInput } from './support/oracle.js';
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
