import { bucket, createIndexer, indexByNode, informer, type InformerError, type Pod, type Query } from 'rx-informers';
import {
  bucketPrefix,
  bucketSize,
  buckets,
  indexValues,
  metaNamespaceKey,
  select,
  type WatchEvent,
} from 'rx-informers/store';
import { aPod, informerTest } from 'rx-informers/testing';
import { Subject } from 'rxjs';
import { errorWith } from '../support/error-with.js';

const podsByNode = () => createIndexer<Pod, 'node'>(metaNamespaceKey, { node: indexByNode });

describe('a query', () => {
  it('is one value that can be read, subscribed to and compared with a marble diagram', () => {
    const a = aPod({ name: 'a', node: 'n1' });
    const b = aPod({ name: 'b', node: 'n1' });
    const onN1 = bucket('node', 'n1');
    informerTest({ a, b }, ({ source, expectQuery }) => {
      const pods = informer(source('L(a)--A(b)--D(a)|'), { indexers: { node: indexByNode } });
      expectQuery(pods, onN1).toBe('        a-----(ab)--b---|');
      expectQuery(pods, bucketSize('node', 'n1')).toBe('x-----y-----x---|', { x: 1, y: 2 });
      expectQuery(pods, indexValues('node')).toBe('     n---------------|', { n: ['n1'] });
    });
    const pods = podsByNode();
    pods.replace([a, b]);
    expect(pods.query(onN1)).toEqual([a, b]);
  });

  it('is deeply compared with the expected values, and fails for a difference', () => {
    const wrong = (): void =>
      informerTest({ a: aPod({ name: 'a', node: 'n1' }) }, ({ source, expectQuery }) => {
        const pods = informer(source('L(a)|'), { indexers: { node: indexByNode } });
        expectQuery(pods, bucketSize('node', 'n1')).toBe('x---|', { x: 2 });
      });
    expect(wrong).toThrow('query$(bucketSize("node", "n1")) differs from its diagram');
  });

  it('over several buckets is the same query for the same values in any order', () => {
    expect(buckets('node', ['n2', 'n1', 'n2']).id).toBe(buckets('node', ['n1', 'n2']).id);
    const pods = podsByNode();
    const [a, b] = [aPod({ name: 'a', node: 'n1' }), aPod({ name: 'b', node: 'n2' })];
    pods.replace([a, b]);
    expect(pods.query(buckets('node', ['n2', 'n1', 'n2']))).toEqual([a, b]);
  });

  it('S8: throws for a missing index when it is created', () => {
    const pods = podsByNode();
    const unknown = bucket('nodde', 'n1') as unknown as Query<Pod, unknown, 'node'>;
    expect(() => pods.query(unknown)).toThrow(errorWith('RXI_UNKNOWN_INDEX'));
    expect(() => pods.query$(unknown)).toThrow(errorWith('RXI_UNKNOWN_INDEX'));
    expect(() => pods.query$(indexValues('nodde') as unknown as Query<Pod, unknown, 'node'>)).toThrow(
      errorWith('RXI_UNKNOWN_INDEX'),
    );
  });

  it('with a custom definition is read when its footprint is touched, and compared by its isEqual (G2)', () => {
    const pods = podsByNode();
    const seen: string[] = [];
    const phase = (key: string): Query<Pod, { readonly phase: string | undefined }> => ({
      footprint: { type: 'keys', keys: [key] },
      read: (snapshot) => ({ phase: snapshot.get(key)?.status?.phase }),
      isEqual: (a, b) => a.phase === b.phase,
    });
    pods.query$(phase('default/a')).subscribe((answer) => seen.push(String(answer.phase)));
    pods.add(aPod({ name: 'a', phase: 'Pending' }));
    pods.update(aPod({ name: 'a', phase: 'Pending', labels: { app: 'web' }, resourceVersion: '2' }));
    pods.add(aPod({ name: 'b', phase: 'Running' }));
    pods.update(aPod({ name: 'a', phase: 'Running', resourceVersion: '3' }));
    expect(seen).toEqual(['Pending', 'Running']);
  });

  it('G4: with an error reports it on errors$, keeps its last result, and reads everything the next time', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer(source, { indexers: { node: indexByNode } });
    const errors: InformerError[] = [];
    const seen: number[] = [];
    pods.errors$.subscribe((error) => errors.push(error));
    pods
      .query$(
        select(({ size }) => {
          if (size === 2) throw new Error('no even number');
          return size;
        }),
      )
      .subscribe((size) => seen.push(size));
    const object = (name: string): Pod => aPod({ name });
    source.next({ type: 'LISTED', items: [object('a')], resourceVersion: '1' });
    source.next({ type: 'ADDED', object: object('b') });
    source.next({ type: 'ADDED', object: object('c') });
    expect(seen).toEqual([1, 3]);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toEqual(errorWith('RXI_SELECT'));
  });

  it.each(['', 'n', 'n1', 'n\u{10000}', '\uffff', 'a\uffff', '\uffff\uffff'])(
    'bucketPrefix(%j) selects the values that begin with it, also at the end of the alphabet',
    (prefix) => {
      const values = ['', 'n', 'n1', 'n1\uffff', 'n2', 'o', 'n\u{10000}x', '\uffff', '\uffff\uffff!', 'a\uffffb', 'b'];
      const all = createIndexer<string, 'value'>((value) => `key ${value}`, { value: (value) => value });
      all.replace(values);
      expect(all.query(bucketPrefix('value', prefix))).toEqual(values.filter((v) => v.startsWith(prefix)).sort());
    },
  );
});
