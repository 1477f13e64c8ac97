import { listWatch, type KubeClient, type Resource, exponentialBackoff } from 'rx-informers';
import type { DecodedEvent, State } from '../../src/sources/reflector/protocol.js';
import { initialState, step } from '../../src/sources/reflector/step.js';
import { podOf, pods, type Pod } from '../fixtures/pods.js';
import { added, endBookmark, modified } from '../fixtures/wire.js';
import { list, open, run, streamed } from './support/run-list-watch.js';
import { refuse, respond, scriptedClient, somewhere, statusError, type Answer } from './support/scripted-client.js';
import { timeline } from './support/timeline.js';

const every = (period: number, from: number, until: number, text: (at: number) => string): [number, string][] =>
  Array.from({ length: Math.ceil((until - from) / period) }, (_, index) => {
    const at = from + index * period;
    return [at, text(at)];
  });

describe('listWatch, when a streaming list does not end', () => {
  it('R27 ▲: lists in pages after three seconds without a byte, whether or not objects came', () => {
    const silent = run([open, list('10'), open], 10_000, streamed);
    expect(silent.seen).toEqual([
      '0: <listing by stream 0>',
      '3000: ERROR BookmarkDeadlineError <listing by pages 0>',
      '3002: LISTED 10(a@1)',
      '3002: <watching 10>',
    ]);
    const objects = run([respond([[1_000, added('a@1')]]), list('10'), open], 10_000, streamed);
    expect(objects.data).toEqual(['4000: ERROR BookmarkDeadlineError', '4002: LISTED 10(a@1)']);
  });

  it('R27 ▲: gives a slow stream its time, as long as objects or parts of one come', () => {
    const slow = every(2_500, 1_000, 60_000, (at) => added(`p${100_000 + at}@1`));
    expect(run([respond([...slow, [60_000, endBookmark('10')]])], 61_000, streamed).client.log).toEqual(['STREAM']);
    const parts = Array.from(added('a@1')).map((character, index): [number, string] => [
      1_000 + index * 500,
      character,
    ]);
    const end = 1_000 + parts.length * 500;
    expect(run([respond([...parts, [end, endBookmark('10')]])], end + 1, streamed).data).toEqual([
      `${end}: LISTED 10(a@1)`,
    ]);
  });

  it('R27 ▲: changes of objects do not prolong the deadline', () => {
    const busy = respond([[1_000, added('a@1')], ...every(100, 1_100, 120_000, (at) => modified(`a@${at}`))]);
    const { data } = run([busy, list('10'), open], 120_000, streamed);
    expect(data).toEqual(['31000: ERROR BookmarkDeadlineError', '31002: LISTED 10(a@1)']);
  });

  it('R24: holds one version of each object, however many come', () => {
    const config = {
      initialList: 'stream' as const,
      listConsistency: 'any' as const,
      pageSize: undefined,
      watchTimeout: [300, 600] as const,
      grace: 30_000,
      openTimeout: 60_000,
      listSilence: 30_000,
      bookmarkDeadline: 30_000,
      maxRetryAfter: 300_000,
      backoff: exponentialBackoff(),
      requestLine: () => somewhere,
    };
    let state: State<Pod> = initialState;
    const feed = (input: object): void =>
      void ({ state } = step(config, state, { at: 0, random: 0, ...input } as never));
    feed({ type: 'started' });
    feed({ type: 'head' });
    const change = (version: number): DecodedEvent<Pod> => {
      const resourceVersion = String(version);
      return { type: 'change', change: 'MODIFIED', object: podOf(`a@${version}`), resourceVersion };
    };
    for (let read = 0; read < 200; read += 1)
      feed({ type: 'events', events: Array.from({ length: 1_000 }, (_, index) => change(read * 1_000 + index)) });
    expect(JSON.stringify(state).match(/"uid"/g)?.length).toBeLessThan(5_000);
  });
});

describe('listWatch, after a streaming list failed', () => {
  const configMaps: Resource<Pod> = { ...pods, plural: 'configmaps' };
  const deployments: Resource<Pod> = { ...pods, group: 'apps', plural: 'deployments' };

  /** What a second source of the same client asks first. */
  function secondSource(answers: readonly Answer[], resource: Resource<Pod> = configMaps): string | undefined {
    const client = scriptedClient([...answers, open]);
    const follow = (kind: Resource<Pod>, from: KubeClient): void =>
      void timeline(() => listWatch(from, kind, streamed), 20_000);
    follow(pods, client);
    const before = client.log.length;
    follow(resource, client);
    return client.log[before];
  }
  const paged = 'LIST limit=500 resourceVersion=0';

  it.each<[string, readonly Answer[]]>([
    ['was refused with 422', [refuse(statusError(422)), list('10'), open]],
    ['was refused with 400', [refuse(statusError(400)), list('10'), open]],
    ['was silent, though a page came at once', [open, list('10'), open]],
  ])('R26 ▲: other sources of the client and the API group do not try again, if it %s', (_what, answers) => {
    expect(secondSource(answers)).toBe(paged);
    expect(secondSource(answers, deployments)).toBe('STREAM');
  });

  it.each<[string, readonly Answer[]]>([
    ['the server was just slow', [open, respond([[5_000, '{']], { end: 5_001 }), open]],
    ['only this kind cannot be watched (405)', [refuse(statusError(405)), list('10'), open]],
    ['it failed for another reason', [refuse(statusError(500)), list('10'), open]],
  ])('R26 ▲: other sources try again, if %s', (_what, answers) => {
    expect(secondSource(answers)).toBe('STREAM');
  });
});
