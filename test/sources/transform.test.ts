import fc from 'fast-check';
import { informer, listWatch, type ListWatchOptions } from 'rx-informers';
import { dropManagedFields } from 'rx-informers/resources';
import { latestOnly } from 'rx-informers/store';
import { informerTest } from 'rx-informers/testing';
import { asyncScheduler, timer } from 'rxjs';
import { type Pod, podOf, pods } from '../fixtures/pods.js';
import { added, deleted, endBookmark, modified, bookmark, errorLine } from '../fixtures/wire.js';
import { list, open, paged, refused, run, streamed, reset } from './support/run-list-watch.js';
import { refuse, respond, scriptedClient, type Answer } from './support/scripted-client.js';

describe('dropManagedFields', () => {
  it('returns an object without managedFields, and keeps everything else', () => {
    const object = {
      kind: 'Pod',
      metadata: { name: 'a', managedFields: [{ manager: 'x' }], labels: { app: 'web' } },
      spec: { x: 1 },
    };
    const before = structuredClone(object);
    const result = dropManagedFields(object);
    expect(result).toEqual({ kind: 'Pod', metadata: { name: 'a', labels: { app: 'web' } }, spec: { x: 1 } });
    expect('managedFields' in result.metadata).toBe(false);
    expect(result.spec).toBe(object.spec);
    expect(object).toEqual(before);
  });

  it.each([[{ metadata: { name: 'a' } }], [{ metadata: null }], [{}]])(
    'dropManagedFields returns %j unchanged',
    (object) => {
      expect(dropManagedFields(object)).toBe(object);
    },
  );
});

describe('listWatch when transform throws', () => {
  const failing = (name: string, times = Infinity): ((pod: Pod) => Pod) => {
    let left = times;
    return (pod) => {
      if (pod.metadata.name === name && left-- > 0) throw new Error('no');
      return pod;
    };
  };

  it('R12 ▲, G4: in a list, reports the object as missing, emits the others, and lists again', () => {
    const { client, seen } = run(
      [list('10', ['a', 'b']), respond([[10, modified('a@11')]]), list('11', ['a', 'b']), open],
      10_000,
      { ...paged, transform: failing('b', 1) },
    );
    expect(seen).toEqual([
      '0: <listing by pages 0>',
      '1: ERROR RXI_TRANSFORM',
      '2: LISTED 10(a@1) without web/b',
      '2: <watching 10>',
      '12: MODIFIED(a@11)',
      '802: <listing by pages 0>',
      '804: LISTED 11(a@1 b@1)',
      '804: <watching 11>',
    ]);
    expect(client.maxInFlight).toBe(1);
  });

  it('R12 ▲: retries an object that always fails less and less often', () => {
    const { client } = run(
      [
        list('10', ['a', 'b']),
        open,
        list('10', ['a', 'b']),
        open,
        list('10', ['a', 'b']),
        open,
        list('10', ['a', 'b']),
        open,
      ],
      5_700,
      { ...paged, transform: failing('b') },
    );
    expect(client.log.filter((text) => text.startsWith('LIST'))).toHaveLength(4);
  });

  it('also in a streaming list; an object that is transformed later is not missing', () => {
    const stream = respond([
      [10, added('a@1') + added('b@2') + added('c@3')],
      [20, modified('b@4') + deleted('c@5') + endBookmark('9')],
    ]);
    const { seen } = run([stream], 500, {
      ...streamed,
      transform: (pod) => {
        if (['2', '3', '5'].includes(pod.metadata.resourceVersion ?? '')) throw new Error('no');
        return pod;
      },
    });
    expect(seen).toEqual([
      '0: <listing by stream 0>',
      '10: ERROR RXI_TRANSFORM ERROR RXI_TRANSFORM',
      '20: ERROR RXI_TRANSFORM LISTED 9(a@1 b@4) <watching 9>',
    ]);
    const missing = run([respond([[10, added('a@1') + added('b@2') + endBookmark('9')]]), open], 500, {
      ...streamed,
      transform: failing('b'),
    });
    expect(missing.data).toEqual(['10: ERROR RXI_TRANSFORM LISTED 9(a@1) without web/b']);
  });

  it('R12 ▲: in a watch, lists from the version before the lost event', () => {
    const { client, data } = run(
      [
        list('10', ['a']),
        respond([[10, modified('a@11') + modified('b@12') + modified('a@13')]]),
        list('13', ['a', 'b']),
        open,
      ],
      10_000,
      { ...paged, transform: failing('b', 1) },
    );
    expect(data).toEqual(['2: LISTED 10(a@1)', '12: MODIFIED(a@11) ERROR RXI_TRANSFORM', '814: LISTED 13(a@1 b@1)']);
    expect(client.log[2]).toBe('LIST resourceVersion=11');
  });

  it('does not transform events behind a lost event, because the list will contain them', () => {
    const transformed: unknown[] = [];
    const transform = (pod: Pod): Pod => {
      transformed.push(pod.metadata.name);
      return pod;
    };
    run([list('10', []), respond([[10, added('a@11') + 'garbage\n' + added('b@12')]])], 20, { ...paged, transform });
    expect(transformed).toEqual(['a']);
  });

  it('still lists if the connection fails meanwhile', () => {
    const { client } = run([list('10', ['a', 'b']), refuse(refused), open, list('11', ['a', 'b']), open], 10_000, {
      ...paged,
      transform: failing('b', 1),
    });
    expect(client.log.slice(0, 4)).toEqual([
      'LIST limit=500 resourceVersion=0',
      'WATCH resourceVersion=10',
      'WATCH resourceVersion=10',
      'LIST resourceVersion=10',
    ]);
  });

  it.each<[string, (pod: Pod) => unknown]>([
    ['nothing', () => undefined],
    ['null', () => null],
    ['an array', (pod) => [pod]],
    ['a string', () => 'pod'],
    ['another name', (pod) => ({ ...pod, metadata: { ...pod.metadata, name: 'x' } })],
    ['another namespace', (pod) => ({ ...pod, metadata: { ...pod.metadata, namespace: 'x' } })],
    ['another uid', (pod) => ({ ...pod, metadata: { ...pod.metadata, uid: 'x' } })],
    ['no metadata', () => ({})],
    [
      'another name, in place',
      (pod) => {
        (pod.metadata as { name: string }).name = 'x';
        return pod;
      },
    ],
  ])('treats a transform that returns %s as failed', (_name, transform) => {
    const { data } = run([list('10', ['a']), open], 500, { ...paged, transform: transform as (pod: Pod) => Pod });
    expect(data).toEqual(['1: ERROR RXI_TRANSFORM', '2: LISTED 10() without web/a']);
  });
});

/** One line of a watch, or one item of a list; `fails` makes the transform throw for it. */
interface Piece {
  readonly kind:
    | 'added'
    | 'modified'
    | 'deleted'
    | 'bookmark'
    | 'end'
    | 'expired'
    | 'throttled'
    | 'garbage'
    | 'malformed';
  readonly name: number;
  readonly fails: boolean;
}

/** The rest of a response: one network read after another, at these times, and then its end. */
interface Script {
  readonly reads: readonly (readonly [after: number, pieces: readonly Piece[]])[];
  readonly ending: 'closed' | 'reset' | 'silent' | 'cut off';
  readonly hasNextPage: boolean;
}

const oneOf = (...kinds: readonly Piece['kind'][]): fc.Arbitrary<Piece['kind']> => fc.constantFrom(...kinds);

const piece: fc.Arbitrary<Piece> = fc.record({
  kind: fc.oneof(
    { weight: 12, arbitrary: oneOf('added', 'modified', 'deleted') },
    { weight: 2, arbitrary: oneOf('bookmark', 'end') },
    { weight: 1, arbitrary: oneOf('expired', 'throttled', 'garbage') },
    { weight: 1, arbitrary: oneOf('malformed') },
  ),
  name: fc.nat({ max: 1 }),
  fails: fc.boolean(),
});

const read = fc.tuple(fc.constantFrom(0, 0, 1, 500, 20_000), fc.array(piece, { minLength: 1, maxLength: 6 }));

const script: fc.Arbitrary<Script> = fc.record({
  reads: fc.array(read, { maxLength: 4 }),
  ending: fc.constantFrom('closed', 'closed', 'reset', 'silent', 'cut off'),
  hasNextPage: fc.boolean(),
});

const options: fc.Arbitrary<ListWatchOptions<Pod>> = fc.record({
  initialList: fc.constantFrom('stream', 'pages'),
  dedup: fc.constantFrom<ListWatchOptions<Pod>['dedup']>('client-go', latestOnly),
  pageSize: fc.constantFrom(undefined, 2),
});

const watchText = ({ kind, name, fails }: Piece, version: number): string => {
  const pod = `${fails ? 'bad' : 'good'}-${name}@${version}`;
  switch (kind) {
    case 'added':
      return added(pod);
    case 'modified':
      return modified(pod);
    case 'deleted':
      return deleted(pod);
    case 'bookmark':
      return bookmark(String(version));
    case 'end':
      return endBookmark(String(version));
    case 'expired':
      return errorLine(410, { reason: 'Expired' });
    case 'throttled':
      return errorLine(429);
    case 'malformed':
      // Its beginning identifies the object, but it is not valid JSON.
      return modified(pod).replace(/\}\n$/, ']\n');
    case 'garbage':
      return 'no JSON\n';
  }
};

const itemText = ({ kind, name, fails }: Piece, version: number): string =>
  kind === 'garbage' ? '7' : JSON.stringify(podOf(`${fails ? 'bad' : 'good'}-${name}@${version}`));

function answerOf({ reads, ending, hasNextPage }: Script, isWatch: boolean, from: number): Answer {
  const chunks: [number, string][] = [];
  let at = 0;
  let version = from;
  const beginning = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"${from}"${
    hasNextPage ? `,"continue":"page-${from}"` : ''
  }},"items":[`;
  reads.forEach(([after, pieces], count) => {
    at += after;
    const texts = pieces.map((one) => (isWatch ? watchText(one, ++version) : itemText(one, ++version)));
    const listed = `${count === 0 ? beginning : ','}${texts.join(',')}`;
    chunks.push([at, isWatch ? texts.join('') : listed]);
  });
  if (!isWatch && ending === 'closed') chunks.push([at + 1, `${reads.length === 0 ? beginning : ''}]}`]);
  if (isWatch && ending === 'cut off') chunks.push([at + 1, '{"type":']);
  if (ending === 'silent') return respond(chunks);
  return respond(chunks, ending === 'reset' ? { cut: [at + 2, reset] } : { end: at + 2 });
}

describe('G4: errors of a transform', () => {
  /** Returns what the transform threw and what was reported, each as `name@version`. */
  function run(
    scripts: readonly Script[],
    chosen: ListWatchOptions<Pod>,
  ): { readonly thrown: readonly string[]; readonly reported: readonly string[]; readonly calls: readonly string[] } {
    const calls: string[] = [];
    const thrown: string[] = [];
    const reported: string[] = [];
    const transform = (pod: Pod): Pod => {
      const written = `${pod.metadata.name}@${pod.metadata.resourceVersion}`;
      calls.push(written);
      if (!written.startsWith('bad')) return pod;
      thrown.push(written);
      throw new Error(written);
    };
    informerTest(({ flush }) => {
      const answers = scripts.map(
        (one, count) =>
          ({ query }: { readonly query?: object | undefined }) =>
            answerOf(one, query !== undefined && 'watch' in query, 100 * (count + 1)),
      );
      const client = scriptedClient([...answers, respond([])]);
      const source = listWatch(client, pods, { ...chosen, transform, random: () => 0 });
      const informed = informer(source, {
        dedup: chosen.dedup === latestOnly ? latestOnly : 'client-go',
        scheduler: asyncScheduler,
        random: () => 0,
      });
      informed.errors$.subscribe((error) => {
        if (error.code === 'RXI_TRANSFORM') reported.push(((error as Error).cause as Error).message);
      });
      const connection = informed.connect();
      timer(900_000).subscribe(() => connection.unsubscribe());
      flush();
    });
    return { thrown, reported, calls };
  }

  it('are all reported once each, in every mode and after any disconnection', () => {
    fc.assert(
      fc.property(fc.array(script, { minLength: 1, maxLength: 8 }), options, (scripts, chosen) => {
        const { thrown, reported, calls } = run(scripts, chosen);
        expect([...reported].sort()).toEqual([...thrown].sort());
        expect(calls).toHaveLength(new Set(calls).size);
      }),
      { numRuns: 50 },
    );
  });
});
