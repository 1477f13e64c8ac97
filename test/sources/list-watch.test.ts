import { listWatch } from 'rx-informers';
import type { LabelSelector } from 'rx-informers/resources';
import type { WatchEventBatch } from 'rx-informers/store';
import { tap } from 'rxjs';
import type { ListWatchOptions } from '../../src/sources/list-watch.js';
import { podOf, pods, type Pod } from '../fixtures/pods.js';
import { added, bookmark, deleted, endBookmark, modified, podList } from '../fixtures/wire.js';
import { respond, scriptedClient, type Answer, type ScriptedClient } from './support/scripted-client.js';
import { dataTimeline, timeline } from './support/timeline.js';

const paged: ListWatchOptions<Pod> = { initialList: 'pages', random: () => 0 };
const streamed: ListWatchOptions<Pod> = { random: () => 0 };

function watching(
  answers: readonly Answer[],
  options: ListWatchOptions<Pod>,
): [ScriptedClient, () => ReturnType<typeof listWatch<Pod>>] {
  const client = scriptedClient(answers);
  return [client, () => listWatch(client, pods, options)];
}

function listedItems(batch: WatchEventBatch<Pod>): readonly Pod[] {
  return batch.flatMap((event) => (event.type === 'LISTED' ? event.items : []));
}

describe('listWatch that lists in pages', () => {
  it('R1, R7, R9: lists any version that the server has, then watches from there (TestReflectorListAndWatch)', () => {
    const [client, source] = watching(
      [
        respond([[10, podList('10', ['a', 'b'])]], { end: 10 + 1 }),
        respond(
          [
            [100, added('c@11') + modified('a@12')],
            [200, deleted('b@13')],
            [300, bookmark('20')],
          ],
          { headAt: 5 },
        ),
      ],
      paged,
    );
    expect(timeline(source, 1_000)).toEqual([
      '0: <listing by pages 0>',
      '11: LISTED 10(a@1 b@1)',
      '16: <watching 10>',
      '111: ADDED(c@11) MODIFIED(a@12)',
      '211: DELETED(b@13)',
      '311: BOOKMARK 20',
    ]);
    expect(client.requests.map(({ query }) => query)).toEqual([
      { labelSelector: undefined, fieldSelector: undefined, limit: 500, resourceVersion: '0' },
      {
        labelSelector: undefined,
        fieldSelector: undefined,
        watch: true,
        allowWatchBookmarks: true,
        timeoutSeconds: 300,
        resourceVersion: '10',
      },
    ]);
  });

  it('reads pages to the end, reports its progress, and emits them as one list', () => {
    const [client, source] = watching(
      [
        respond([[10, podList('10', ['a'], { continue: 'next', remainingItemCount: 2 })]], { end: 11 }),
        respond([[10, podList('11', ['b'], { continue: 'more', remainingItemCount: 1 })]], { end: 11 }),
        respond([[10, podList('12', ['c'])]], { end: 11 }),
        respond([]),
      ],
      { ...paged, pageSize: 1 },
    );
    expect(timeline(source, 1_000)).toEqual([
      '0: <listing by pages 0>',
      '11: <listing by pages 1/3>',
      '33: LISTED 10(a@1 b@1 c@1)',
      '33: <watching 10>',
    ]);
    expect(client.log).toEqual([
      'LIST limit=1 resourceVersion=0',
      'LIST limit=1 continue=next',
      'LIST limit=1 continue=more',
      'WATCH resourceVersion=10',
    ]);
  });

  it('sets apiVersion and kind on list items, and drops managedFields', () => {
    const item = {
      metadata: { name: 'a', namespace: 'web', uid: 'u', resourceVersion: '1', managedFields: [{ manager: 'x' }] },
    };
    const list = JSON.stringify({
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '5' },
      items: [item],
    });
    const seen: unknown[] = [];
    const [, source] = watching([respond([[1, list]], { end: 2 }), respond([])], paged);
    timeline(() => source().pipe(tap((batch) => seen.push(...listedItems(batch)))), 10);
    expect(seen[0]).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', namespace: 'web', uid: 'u', resourceVersion: '1' },
    });
  });

  it('R13: resumes a watch that ends after a normal time at once, from the last version, without a list', () => {
    const [client, source] = watching(
      [
        respond([[1, podList('10', ['a'])]], { end: 2 }),
        respond([[100, modified('a@11')]], { end: 5_000 }),
        respond([], { end: 250_000 }),
        respond([[100, modified('a@12')]]),
      ],
      paged,
    );
    expect(timeline(source, 300_000)).toEqual([
      '0: <listing by pages 0>',
      '2: LISTED 10(a@1)',
      '2: <watching 10>',
      '102: MODIFIED(a@11)',
      '5002: <reconnecting>',
      '5002: <watching 11>',
      '255002: <reconnecting>',
      '255002: <watching 11>',
      '255102: MODIFIED(a@12)',
    ]);
    expect(client.log.slice(1)).toEqual([
      'WATCH resourceVersion=10',
      'WATCH resourceVersion=11',
      'WATCH resourceVersion=11',
    ]);
  });

  it('emits one batch per network read, and a line that is split across two reads with the second', () => {
    const text = modified('a@12');
    const [, source] = watching(
      [
        respond([[1, podList('10', ['a'])]], { end: 2 }),
        respond([
          [10, modified('a@11') + text.slice(0, 20)],
          [20, text.slice(20) + added('b@13')],
        ]),
      ],
      paged,
    );
    expect(dataTimeline(source, 100)).toEqual([
      '2: LISTED 10(a@1)',
      '12: MODIFIED(a@11)',
      '22: MODIFIED(a@12) ADDED(b@13)',
    ]);
  });

  it('R7: requests a random timeout between the two given ones (TestWatchTimeout)', () => {
    const timeouts = [0, 0.5, 0.999].map((random) => {
      const [client, source] = watching([respond([[1, podList('10', [])]], { end: 2 }), respond([])], {
        ...paged,
        random: () => random,
        watchTimeout: [1_800, 3_600],
      });
      timeline(source, 10);
      return client.requests[1]?.query?.['timeoutSeconds'];
    });
    expect(timeouts).toEqual([1_800, 2_700, 3_598]);
  });

  it('R11: ignores versions before the first event that is not ADDED, if the list was at version 0', () => {
    const [client, source] = watching(
      [
        respond([[1, podList('0', [])]], { end: 2 }),
        respond([[10, added('a@7') + added('b@3')]], { end: 2_000 }),
        respond([[10, added('a@7') + modified('b@8')]], { end: 2_000 }),
        respond([]),
      ],
      paged,
    );
    timeline(source, 10_000);
    expect(client.log.slice(1)).toEqual([
      'WATCH resourceVersion=0',
      'WATCH resourceVersion=0',
      'WATCH resourceVersion=8',
    ]);
  });

  it.each<[string, unknown]>([
    ['a text that cannot be parsed', 'app in ('],
    ['a map of labels', { app: 'web' }],
    ['an array', ['app=web']],
  ])('throws at once for %s as labelSelector, and sends nothing', (_form, labelSelector) => {
    const [, source] = watching([], { labelSelector: labelSelector as LabelSelector });
    expect(source).toThrow(expect.objectContaining({ code: 'RXI_INVALID_SELECTOR' }));
  });

  it.each([
    ['text', 'app=x'],
    ['object', { matchLabels: { app: 'x' } }],
  ])('applies namespace and selectors, in %s form, to LIST and WATCH alike', (_form, labelSelector) => {
    const [client, source] = watching([respond([[1, podList('10', [])]], { end: 2 }), respond([])], {
      ...paged,
      namespace: 'web',
      labelSelector,
      fieldSelector: 'spec.nodeName=n1',
    });
    timeline(source, 10);
    expect(
      client.requests.map(({ path, query }) => [path, query?.['labelSelector'], query?.['fieldSelector']]),
    ).toEqual([
      ['/api/v1/namespaces/web/pods', 'app=x', 'spec.nodeName=n1'],
      ['/api/v1/namespaces/web/pods', 'app=x', 'spec.nodeName=n1'],
    ]);
  });
});

describe('listWatch that lists by stream', () => {
  it('R23, R24: emits nothing before the end bookmark, then one list, then continues with the same stream (TestWatchList)', () => {
    const [client, source] = watching(
      [
        respond([
          [10, added('a@1') + added('b@2')],
          [20, modified('a@5') + deleted('b@6') + added('c@7')],
          [30, endBookmark('9') + added('d@10')],
          [40, modified('a@11')],
        ]),
      ],
      streamed,
    );
    expect(timeline(source, 1_000)).toEqual([
      '0: <listing by stream 0>',
      '30: LISTED 9(a@5 c@7) <watching 9>',
      '30: ADDED(d@10)',
      '40: MODIFIED(a@11)',
    ]);
    expect(client.requests.map(({ query }) => query)).toEqual([
      {
        labelSelector: undefined,
        fieldSelector: undefined,
        watch: true,
        allowWatchBookmarks: true,
        timeoutSeconds: 300,
        resourceVersion: undefined,
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
      },
    ]);
  });

  it('R24: ends the list only with the annotation "true" (TestWatchList)', () => {
    const [, source] = watching(
      [respond([[10, added('a@1') + bookmark('5', { 'k8s.io/initial-events-end': 'false' }) + bookmark('6')]])],
      streamed,
    );
    expect(timeline(source, 1_000)).toEqual(['0: <listing by stream 0>']);
  });

  it('R25: drops a stream that ends before its end bookmark, and opens it again at once', () => {
    const [client, source] = watching(
      [respond([[10, added('gone@1')]], { end: 2_000 }), respond([[10, added('a@1') + endBookmark('9')]])],
      streamed,
    );
    expect(timeline(source, 10_000)).toEqual([
      '0: <listing by stream 0>',
      '2000: ERROR RXI_EARLY_CLOSE <listing by stream 0>',
      '2010: LISTED 9(a@1) <watching 9>',
    ]);
    expect(client.log).toEqual(['STREAM', 'STREAM']);
  });

  it('R25 ▲: lists in pages after three such streams in a row', () => {
    const short = respond([[10, added('a@1')]], { end: 2_000 });
    const [client, source] = watching(
      [short, short, short, respond([[10, podList('10', ['a'])]], { end: 11 }), respond([])],
      streamed,
    );
    timeline(source, 10_000);
    expect(client.log).toEqual([
      'STREAM',
      'STREAM',
      'STREAM',
      'LIST limit=500 resourceVersion=0',
      'WATCH resourceVersion=10',
    ]);
  });

  it('continues with a plain watch from the last version if a stream ends after its end bookmark', () => {
    const [client, source] = watching(
      [respond([[10, added('a@1') + endBookmark('9') + modified('a@10')]], { end: 2_000 }), respond([])],
      streamed,
    );
    timeline(source, 10_000);
    expect(client.log).toEqual(['STREAM', 'WATCH resourceVersion=10']);
  });

  it('R28 ▲: transforms each object exactly once', () => {
    const transformed: string[] = [];
    const transform = (pod: Pod): Pod => {
      transformed.push(`${pod.metadata.name}@${pod.metadata.resourceVersion}`);
      return pod;
    };
    const [, source] = watching(
      [
        respond([
          [10, added('a@1') + added('b@2') + endBookmark('9')],
          [20, modified('a@10') + deleted('b@11')],
        ]),
      ],
      { ...streamed, transform },
    );
    timeline(source, 100);
    expect(transformed).toEqual(['a@1', 'b@2', 'a@10', 'b@11']);
  });

  it('emits objects as they were sent, with every way of reading the list', () => {
    const expected = podOf('a@1');
    for (const answers of [
      [respond([[10, added('a@1') + endBookmark('9')]])],
      [respond([[10, podList('9', ['a@1'])]], { end: 11 }), respond([])],
    ]) {
      const seen: unknown[] = [];
      const [, source] = watching(answers, answers.length === 1 ? streamed : paged);
      timeline(() => source().pipe(tap((batch) => seen.push(...listedItems(batch)))), 100);
      expect(seen[0]).toEqual(expected);
    }
  });
});
