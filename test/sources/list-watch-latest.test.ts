import fc from 'fast-check';
import { listWatch } from 'rx-informers';
import { metaNamespaceKey, latestOnly, batchToDeltas, emptySnapshot, reduceDeltas } from 'rx-informers/store';
import { informerTest } from 'rx-informers/testing';
import { asyncScheduler, takeUntil, timer } from 'rxjs';
import type { ListWatchOptions } from '../../src/sources/list-watch.js';
import { podOf, pods, type Pod } from '../fixtures/pods.js';
import { added, bookmark, deleted, endBookmark, errorLine, line, modified } from '../fixtures/wire.js';
import { list, open, paged, run, streamed } from './support/run-list-watch.js';
import { respond, scriptedClient, type Answer } from './support/scripted-client.js';

const latest = { ...paged, dedup: latestOnly } as const;

describe('listWatch with latestOnly', () => {
  const afterList = (text: string, options: ListWatchOptions<Pod> = latest): readonly string[] =>
    run([list('10'), respond([[1, text]]), list('90'), open], 2_000, options).data.slice(1);

  it('emits only the last of several events of one object in one network read', () => {
    const text = modified('a@11') + modified('b@12') + modified('a@13') + modified('a@15') + bookmark('16');
    expect(afterList(text)).toEqual(['3: MODIFIED(b@12) MODIFIED(a@15) BOOKMARK 16']);
  });

  it('emits every event by default', () => {
    expect(afterList(modified('a@11') + modified('a@12'), paged)).toEqual(['3: MODIFIED(a@11) MODIFIED(a@12)']);
  });

  it('emits every event of objects that share a name, but not a uid', () => {
    const again = { ...podOf('a@12'), metadata: { ...podOf('a@12').metadata, uid: 'another' } };
    expect(afterList(modified('a@11') + line('ADDED', again))).toEqual(['3: MODIFIED(a@11) ADDED(a@12)']);
  });

  it('emits deletions, and the event before one that is not superseded', () => {
    expect(afterList(modified('a@11') + deleted('a@12'))).toEqual(['3: MODIFIED(a@11) DELETED(a@12)']);
    expect(afterList(modified('a@11') + deleted('a@12') + added('a@13'))).toEqual(['3: DELETED(a@12) ADDED(a@13)']);
  });

  it('considers only one network read', () => {
    const client = [
      list('10'),
      respond([
        [1, modified('a@11')],
        [2, modified('a@12')],
      ]),
    ];
    expect(run(client, 100, latest).data.slice(1)).toEqual(['3: MODIFIED(a@11)', '4: MODIFIED(a@12)']);
  });

  it('calls transform for emitted objects only', () => {
    const seen: unknown[] = [];
    const transform = (pod: Pod): Pod => {
      seen.push(pod.metadata.resourceVersion);
      return pod;
    };
    afterList(modified('a@11') + modified('a@12'), { ...latest, transform });
    expect(seen).toEqual(['1', '12']);
  });

  it('G4: emits the event before one that cannot be decoded, although that one should have superseded it', () => {
    const broken = modified('a@12').replace('}\n', '\n');
    const seen = afterList(modified('a@11') + modified('b@11') + broken);
    expect(seen[0]).toBe('3: MODIFIED(a@11) MODIFIED(b@11) ERROR RXI_DECODE');
    expect(seen[1]).toContain('LISTED 90');
  });

  it('R12: never moves the version past an event that was neither emitted nor superseded by an emitted one', () => {
    const patience = errorLine(429, { details: { retryAfterSeconds: 1 } });
    const text = modified('a@11') + modified('b@12') + patience + modified('a@13');
    const { data, client } = run([list('10'), respond([[1, text]]), open], 2_000, latest);
    expect(data[1]).toBe('3: MODIFIED(a@11) MODIFIED(b@12) ERROR RXI_STATUS 429');
    expect(client.log.at(-1)).toBe('WATCH resourceVersion=12');
  });

  it('does not look past the bookmark that ends a streaming list', () => {
    const text = added('a@1') + modified('a@2') + endBookmark('5') + modified('a@6') + bookmark('7');
    const { data } = run([respond([[1, text]])], 100, { ...streamed, dedup: latestOnly });
    expect(data).toEqual(['1: LISTED 5(a@2)', '1: MODIFIED(a@6) BOOKMARK 7']);
  });

  it('does not report errors in a superseded event', () => {
    const broken = modified('a@11').replace('}\n', '\n');
    expect(afterList(broken + modified('a@12'))).toEqual(['3: MODIFIED(a@12)']);
  });
});

/** One line: mostly changes of few objects, in any layout that JSON allows. */
const anyLine = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.record({
      type: fc.constantFrom('ADDED', 'MODIFIED', 'MODIFIED', 'DELETED'),
      name: fc.constantFrom('a', 'a', 'b', 'a"b', 'é'),
      uid: fc.constantFrom('u1', 'u1', 'u1', 'u2'),
      layout: fc.nat(3),
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom('bookmark', 'end') },
  { weight: 3, arbitrary: fc.constantFrom('garbage', 'gone', 'patience', 'kindless', 'refused') },
);
type AnyLine = typeof anyLine extends fc.Arbitrary<infer Line> ? Line : never;

function textOf(written: AnyLine, position: number): string {
  const version = String(100 + position);
  if (typeof written !== 'string') return change(written, version);
  switch (written) {
    case 'bookmark':
      return bookmark(version);
    case 'end':
      return endBookmark(version);
    case 'garbage':
      return '{"type":"MODIFIED","object":{"metadata":\n';
    case 'gone':
      return errorLine(410);
    case 'patience':
      return errorLine(429);
    case 'kindless':
      return line('MODIFIED', { ...podOf(`a@${version}`), kind: 'Table' });
    case 'refused':
      return modified(`refused@${version}`);
  }
}

function change({ type, name, uid, layout }: Exclude<AnyLine, string>, resourceVersion: string): string {
  const named = { name, namespace: 'web', uid, resourceVersion };
  const reversed = { resourceVersion, uid, namespace: 'web', name };
  const object = { kind: 'Pod', apiVersion: 'v1', metadata: layout % 2 === 0 ? named : reversed };
  return layout < 2
    ? line(type, object)
    : `{ "object" : ${JSON.stringify(object, null, 1).replace(/\n/g, ' ')}, "type":"${type}"}\r\n`;
}

const transform = (pod: Pod): Pod => {
  if (pod.metadata.name === 'refused') throw new Error('refused');
  return pod;
};

/** What a store holds after each batch, and what failed; and all requests to the server. */
function lifecycleOfStore(texts: readonly string[], options: ListWatchOptions<Pod>): unknown {
  const watch = respond(texts.map((text, position) => [position + 1, text]));
  const answers: Answer[] = options.initialList === 'pages' ? [list('10', ['a', 'b']), watch] : [watch];
  const client = scriptedClient([...answers, list('900', ['a']), open]);
  const lifetime: unknown[] = [];
  informerTest(({ flush }) => {
    let snapshot = emptySnapshot<Pod>();
    listWatch(client, pods, { ...options, transform, random: () => 0 })
      .pipe(takeUntil(timer(texts.length + 5_000)))
      .subscribe((batch) => {
        const commit = reduceDeltas(snapshot, batchToDeltas(batch, metaNamespaceKey));
        snapshot = commit.snapshot;
        const errors = commit.errors.map(({ message }) => message);
        lifetime.push([asyncScheduler.now(), snapshot.list(), snapshot.resourceVersion, errors]);
      });
    flush();
  });
  return { lifetime, log: client.log };
}

describe.each(['pages', 'stream'] as const)('listWatch with latestOnly, first list by %s', (initialList) => {
  it('results in the same content, version, errors and requests as without it, for any lines in any chunks', () => {
    fc.assert(
      fc.property(
        fc.array(anyLine, { maxLength: 30 }),
        fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 1, maxLength: 8 }),
        fc.nat(20),
        (changes, sizes, end) => {
          const lines = initialList === 'pages' ? changes : changes.toSpliced(end, 0, 'end');
          const text = lines.map(textOf).join('');
          const texts: string[] = [];
          for (let at = 0; at < text.length; at += texts.at(-1)?.length ?? 0) {
            texts.push(text.slice(at, at + (sizes[texts.length % sizes.length] ?? 1)));
          }
          const whole = lifecycleOfStore(texts, { initialList });
          expect(lifecycleOfStore(texts, { initialList, dedup: latestOnly })).toEqual(whole);
        },
      ),
    );
  });
});
