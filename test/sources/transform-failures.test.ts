import fc from 'fast-check';
import { asyncScheduler, timer } from 'rxjs';
import { informer, listWatch, type ListWatchOptions, latestOnly } from 'rx-informers';
import { informerTest } from 'rx-informers/testing';
import { podOf, pods, type Pod } from '../fixtures/pods.js';
import { added, bookmark, deleted, endBookmark, errorLine, modified } from '../fixtures/wire.js';
import { reset } from './support/run-list-watch.js';
import { respond, scriptedClient, type Answer } from './support/scripted-client.js';

/** One line of a watch, or one item of a list; `fails` makes the transform throw for it. */
interface Piece {
  readonly kind:
    'added' | 'modified' | 'deleted' | 'bookmark' | 'end' | 'expired' | 'throttled' | 'garbage' | 'malformed';
  readonly name: number;
  readonly fails: boolean;
}

/** How a response goes on: one network read after another, at these times, and then its end. */
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
      // Its beginning tells which object it is of, and it is still not JSON.
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

/** Returns what the transform threw and what was reported, each as `name@version`. */
function run(
  scripts: readonly Script[],
  chosen: ListWatchOptions<Pod>,
): { readonly thrown: readonly string[]; readonly reported: readonly string[]; readonly calls: readonly string[] } {
  const calls: string[] = [];
  const thrown: string[] = [];
  const reported: string[] = [];
  const transform = (pod: Pod): Pod => {
    const spelled = `${pod.metadata.name}@${pod.metadata.resourceVersion}`;
    calls.push(spelled);
    if (!spelled.startsWith('bad')) return pod;
    thrown.push(spelled);
    throw new Error(spelled);
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
      if (error.name === 'TransformError') reported.push(((error as Error).cause as Error).message);
    });
    const connection = informed.connect();
    timer(900_000).subscribe(() => connection.unsubscribe());
    flush();
  });
  return { thrown, reported, calls };
}

describe('G4: failures of a transform', () => {
  it('are all reported, once each, in every mode and however the server breaks off', () => {
    fc.assert(
      fc.property(fc.array(script, { minLength: 1, maxLength: 8 }), options, (scripts, chosen) => {
        const { thrown, reported, calls } = run(scripts, chosen);
        expect([...reported].sort()).toEqual([...thrown].sort());
        expect(calls).toHaveLength(new Set(calls).size);
      }),
      { numRuns: 150 },
    );
  });
});
