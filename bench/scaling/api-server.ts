import { createApiServer } from 'rx-informers/testing';
import { benchPod } from '../fixtures/pod.js';
import type { PodsToServe } from './start-api-server.js';

/*
 * The API server for tests, with pods, in a process of its own. It is slower than `bench/server`,
 * but it knows namespaces and metadata.
 */
const PODS_AT_ONCE = 1000;

process.once('disconnect', () => process.exit());
process.once('message', (message) => void serve(message as PodsToServe));

async function serve({ pods, namespaces }: PodsToServe): Promise<void> {
  const server = await createApiServer();
  for (let first = 0; first < pods; first += PODS_AT_ONCE) {
    const portion = Array.from({ length: Math.min(PODS_AT_ONCE, pods - first) }, (_, index) => benchPod(first + index));
    server.apply(
      portion.map((pod, index) => ({
        ...pod,
        metadata: { ...pod.metadata, namespace: `namespace-${(first + index) % namespaces}` },
      })),
    );
  }
  process.send?.({ url: server.url });
}
