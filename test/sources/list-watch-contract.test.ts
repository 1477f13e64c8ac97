import { of, type Observable } from 'rxjs';
import { listWatch } from 'rx-informers';
import type { ListWatchOptions } from '../../src/sources/list-watch.js';
import { pods, type Pod } from '../fixtures/pods.js';
import { podList } from '../fixtures/wire.js';
import { list, open, paged, streamed } from './support/run-list-watch.js';
import { encode, scriptedClient, type Answer } from './support/scripted-client.js';
import { dataTimeline, timeline } from './support/timeline.js';

describe('listWatch', () => {
  it('is cold: each subscription has its own requests', () => {
    const client = scriptedClient([list('10'), open, list('20'), open]);
    const source = listWatch(client, pods, paged);
    expect(client.requests).toHaveLength(0);
    expect(dataTimeline(() => source, 10)).toEqual(['2: LISTED 10(a@1)']);
    expect(dataTimeline(() => source, 10)).toEqual(['2: LISTED 20(a@1)']);
    expect(client.requests).toHaveLength(4);
  });

  it('survives a client that throws instead of answering', () => {
    const client = {
      exchange: (): Observable<never> => {
        throw new Error('broken');
      },
    };
    expect(timeline(() => listWatch(client, pods, paged), 100)[1]).toMatch(
      /^0: ERROR UnexpectedSourceError <backing-off/,
    );
  });

  it('drops what an ended request still says', () => {
    const head = { type: 'head' as const, status: 200, headers: {} };
    const garbage: Answer = of(head, { type: 'bytes' as const, bytes: encode('{garbage\n') });
    const whole: Answer = of(head, { type: 'bytes' as const, bytes: encode(podList('10', ['a'])) });
    const seen = timeline(() => listWatch(scriptedClient([garbage, whole, open]), pods, streamed), 10);
    expect(seen).toEqual([
      '0: <listing by stream 0>',
      '0: ERROR DecodeError <listing by pages 0>',
      '0: LISTED 10(a@1)',
      '0: <watching 10>',
    ]);
  });

  it('survives a client that answers synchronously, for ever', () => {
    const synchronous: Answer = of(
      { type: 'head' as const, status: 200, headers: {} },
      { type: 'bytes' as const, bytes: encode(podList('10', ['a'])) },
    );
    const client = scriptedClient([synchronous, of({ type: 'head' as const, status: 200, headers: {} })]);
    expect(timeline(() => listWatch(client, pods, paged), 3_000).length).toBeGreaterThan(3);
    expect(client.mostInFlight).toBe(1);
  });

  it.each<[string, ListWatchOptions<Pod>]>([
    ['watchTimeout', { watchTimeout: [600, 300] }],
    ['watchTimeout', { watchTimeout: [0, 10] }],
    ['pageSize', { pageSize: 0 }],
    ['pageSize', { pageSize: 1.5 }],
    ['grace', { grace: -1 }],
    ['openTimeout', { openTimeout: NaN }],
    ['listSilence', { listSilence: 0 }],
    ['bookmarkDeadline', { bookmarkDeadline: 0 }],
  ])('throws for a senseless %s', (option, options) => {
    expect(() => listWatch(scriptedClient([]), pods, options)).toThrow(
      expect.objectContaining({ name: 'InvalidOptionError', option }),
    );
  });

  it('throws where a cluster-scoped resource is given a namespace', () => {
    const nodes = { group: '', version: 'v1', plural: 'nodes', namespaced: false };
    expect(() => listWatch(scriptedClient([]), nodes, { namespace: 'web' })).toThrow(
      expect.objectContaining({ name: 'ResourcePathError' }),
    );
  });
});
