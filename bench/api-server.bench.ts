import { request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { aConfigMap } from '../src/testing/factories/a-config-map.js';
import { createApiServer, type ApiServer } from '../src/testing/api-server/api-server.js';

const OBJECTS = 10_000;
const WATCHERS = 100;
const WRITES_PER_SECOND = 200;

/** How often writes are made: in portions, as timers are not more exact than that. */
const TICK = 10;

/** Seeds 10,000 objects, then keeps 100 watchers over HTTP supplied with 200 events a second each, and says whether they keep up. */
export async function benchApiServer({ seconds }: { readonly seconds: number }): Promise<string> {
  const server = await createApiServer();
  const seedStart = performance.now();
  server.apply(Array.from({ length: OBJECTS }, (_, number) => configMap(number, 'seed')));
  const seeded = performance.now() - seedStart;

  let delivered = 0;
  const watchers = await Promise.all(
    Array.from({ length: WATCHERS }, () => openWatch(server, (lines) => (delivered += lines))),
  );
  const start = performance.now();
  let written = 0;
  let largestBacklog = 0;
  for (let elapsed = 0; elapsed < seconds * 1000; elapsed = performance.now() - start) {
    for (const due = (elapsed / 1000) * WRITES_PER_SECOND; written < due; written += 1) {
      server.apply(configMap(written % OBJECTS, String(written)));
    }
    largestBacklog = Math.max(largestBacklog, written * WATCHERS - delivered);
    await sleep(TICK);
  }
  const took = (performance.now() - start) / 1000;
  const backlog = written * WATCHERS - delivered;
  for (const watcher of watchers) watcher.destroy();
  await server.close();
  return [
    `API server: ${OBJECTS} objects seeded in ${seeded.toFixed(0)} ms`,
    `${WATCHERS} watchers × ${(written / took).toFixed(0)} events/s for ${took.toFixed(1)} s: ${(delivered / took).toFixed(0)} delivered/s,`,
    `backlog ${backlog} at the end, ${largestBacklog} at most (${(largestBacklog / WATCHERS).toFixed(1)} a watcher)`,
  ].join('\n');
}

function configMap(number: number, text: string): ReturnType<typeof aConfigMap> {
  return aConfigMap({ name: `c${number}`, data: { text } });
}

function openWatch(server: ApiServer, received: (lines: number) => void): Promise<IncomingMessage> {
  const url = `${server.url}/api/v1/configmaps?watch=true&resourceVersion=${server.resourceVersion}`;
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false }, (response) => {
      response.on('data', (chunk: Buffer) => {
        received(countLines(chunk));
      });
      // The end of the benchmark breaks the connection.
      response.on('error', () => undefined);
      resolve(response);
    });
    sent.on('error', reject);
    sent.end();
  });
}

function countLines(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  return lines;
}
