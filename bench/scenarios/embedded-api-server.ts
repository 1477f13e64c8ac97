import { request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApiServer, type ApiServer, aConfigMap } from 'rx-informers/testing';
import type { Figures, Scale, Scenario } from '../model/scenario.js';

const OBJECTS = 10_000;
const WATCHERS = 100;
const WRITES_PER_SECOND = 200;

/** The interval between writes, in milliseconds. Timers are too inexact for a shorter interval. */
const TICK = 10;

const SECONDS: Readonly<Record<Scale, number>> = { full: 10, quick: 2 };

const SERVER = 'rx-informers, createApiServer';

export const embeddedApiServer: Scenario = {
  name: 'embedded-api-server',
  title: 'The embedded API server under load',
  description: [
    '10,000 objects are stored in the embedded API server. Then 100 watchers over HTTP, in the same process, receive',
    '200 events a second each. The delay of the watchers is the number of events that were written and not yet',
    'received, converted to the time in which so many events are written.',
  ].join(' '),
  contestants: [SERVER],
  metrics: {
    seeding: { title: 'time to store 10,000 objects', unit: 'ms', better: 'lower' },
    delivered: { title: 'events delivered to all watchers', unit: 'events/s', better: 'higher' },
    late: { title: 'largest delay of the watchers', unit: 'ms', better: 'lower' },
  },
  targets: [
    {
      figure: { contestant: SERVER, metric: 'delivered' },
      is: 'at least',
      // The target covers all events except those in flight when the measurement ends.
      factor: 0.95 * WATCHERS * WRITES_PER_SECOND,
    },
  ],
  rounds: 1,
  run: (_name, { scale }) => run(SECONDS[scale]),
};

async function run(seconds: number): Promise<Figures> {
  const server = await createApiServer();
  const seedingStart = performance.now();
  server.apply(Array.from({ length: OBJECTS }, (_, number) => configMap(number, 'seed')));
  const seeding = performance.now() - seedingStart;

  let delivered = 0;
  const watchers = await Promise.all(
    Array.from({ length: WATCHERS }, () => openWatch(server, (lines) => (delivered += lines))),
  );
  const start = performance.now();
  let written = 0;
  let largestBacklog = 0;
  let elapsed = 0;
  for (; elapsed < seconds; elapsed = (performance.now() - start) / 1000) {
    for (const due = elapsed * WRITES_PER_SECOND; written < due; written++) {
      server.apply(configMap(written % OBJECTS, String(written)));
    }
    largestBacklog = Math.max(largestBacklog, written * WATCHERS - delivered);
    await sleep(TICK);
  }
  for (const watcher of watchers) watcher.destroy();
  await server.close();
  return {
    seeding,
    delivered: delivered / elapsed,
    late: (largestBacklog / (WATCHERS * WRITES_PER_SECOND)) * 1000,
  };
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
      // The end of the measurement breaks the connection, so an error is expected.
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
