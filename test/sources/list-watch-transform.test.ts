import type { Pod } from '../fixtures/pods.js';
import { added, deleted, endBookmark, modified } from '../fixtures/wire.js';
import { list, open, paged, refused, run, streamed } from './support/run-list-watch.js';
import { refuse, respond } from './support/scripted-client.js';

describe('listWatch, when transform fails', () => {
  const failing = (name: string, times = Infinity): ((pod: Pod) => Pod) => {
    let left = times;
    return (pod) => {
      if (pod.metadata.name === name && left-- > 0) throw new Error('no');
      return pod;
    };
  };

  it('R12 ▲, G4: in a list the object is named and missing, the others are delivered and followed, and it lists again', () => {
    const { client, seen } = run(
      [list('10', ['a', 'b']), respond([[10, modified('a@11')]]), list('11', ['a', 'b']), open],
      10_000,
      { ...paged, transform: failing('b', 1) },
    );
    expect(seen).toEqual([
      '0: <listing by pages 0>',
      '1: ERROR TransformError',
      '2: LISTED 10(a@1) without web/b',
      '2: <watching 10>',
      '12: MODIFIED(a@11)',
      '802: <listing by pages 0>',
      '804: LISTED 11(a@1 b@1)',
      '804: <watching 11>',
    ]);
    expect(client.mostInFlight).toBe(1);
  });

  it('R12 ▲: an object that fails for ever is tried less and less often', () => {
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

  it('in a streaming list too; an object that was transformed later is not missing', () => {
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
      '10: ERROR TransformError ERROR TransformError',
      '20: ERROR TransformError LISTED 9(a@1 b@4) <watching 9>',
    ]);
    const missing = run([respond([[10, added('a@1') + added('b@2') + endBookmark('9')]]), open], 500, {
      ...streamed,
      transform: failing('b'),
    });
    expect(missing.data).toEqual(['10: ERROR TransformError LISTED 9(a@1) without web/b']);
  });

  it('R12 ▲: in a watch a list follows, from the version before the lost event', () => {
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
    expect(data).toEqual(['2: LISTED 10(a@1)', '12: MODIFIED(a@11) ERROR TransformError', '814: LISTED 13(a@1 b@1)']);
    expect(client.log[2]).toBe('LIST resourceVersion=11');
  });

  it('is not run for what comes behind a lost event: the list will bring it', () => {
    const transformed: unknown[] = [];
    const transform = (pod: Pod): Pod => {
      transformed.push(pod.metadata.name);
      return pod;
    };
    run([list('10', []), respond([[10, added('a@11') + 'garbage\n' + added('b@12')]])], 20, { ...paged, transform });
    expect(transformed).toEqual(['a']);
  });

  it('the relist that is due survives a connection that fails meanwhile', () => {
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
  ])('a transform that returns %s has failed', (_name, transform) => {
    const { data } = run([list('10', ['a']), open], 500, { ...paged, transform: transform as (pod: Pod) => Pod });
    expect(data).toEqual(['1: ERROR TransformError', '2: LISTED 10() without web/a']);
  });
});
