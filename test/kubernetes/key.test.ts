import fc from 'fast-check';
import { informer, mergeSources, type KubernetesObject, type Pod, type Source, isRxInformersError } from 'rx-informers';
import {
  metaNamespaceKey,
  splitMetaNamespaceKey,
  partitionedKey,
  splitPartitionedKey,
  type WatchEventBatch,
  watchEvent,
} from 'rx-informers/store';
import { aPod } from 'rx-informers/testing';
import { concat, NEVER, of } from 'rxjs';
import { errorWith } from '../support/error-with.js';

describe('metaNamespaceKey', () => {
  it('K1: is namespace/name for a namespaced object', () => {
    expect(metaNamespaceKey({ metadata: { namespace: 'web', name: 'a' } })).toBe('web/a');
  });

  it.each([undefined, ''])('K1: is only the name if the namespace is %p', (namespace) => {
    expect(metaNamespaceKey({ metadata: { namespace, name: 'worker-1' } })).toBe('worker-1');
  });

  it('K1: ignores uid, kind and resourceVersion', () => {
    const metadata = { namespace: 'web', name: 'a' };
    expect(metaNamespaceKey({ kind: 'Pod', metadata: { ...metadata, uid: '1', resourceVersion: '7' } })).toBe(
      metaNamespaceKey({ kind: 'Service', metadata: { ...metadata, uid: '2', resourceVersion: '8' } }),
    );
  });

  it('keeps the colons of a name', () => {
    expect(metaNamespaceKey({ metadata: { name: 'system:node' } })).toBe('system:node');
  });

  it.each([
    [undefined, 'it has no metadata'],
    [null, 'it has no metadata'],
    ['web/a', 'it has no metadata'],
    [{}, 'it has no metadata'],
    [{ metadata: null }, 'it has no metadata'],
    [{ metadata: 'a' }, 'it has no metadata'],
    [{ metadata: {} }, 'metadata.name is missing'],
    [{ metadata: { name: '' } }, 'metadata.name is missing'],
    [{ metadata: { name: 7 } }, 'metadata.name is missing'],
    [{ metadata: { name: 'a/b' } }, 'metadata.name "a/b" contains a "/"'],
    [{ metadata: { name: 'a', namespace: 7 } }, 'metadata.namespace 7 is not a namespace'],
    [{ metadata: { name: 'a', namespace: 'b/c' } }, 'metadata.namespace "b/c" is not a namespace'],
  ])('K3: throws an RXI_INVALID_OBJECT for %j', (object, problem) => {
    const attempt = (): string => metaNamespaceKey(object as never);
    expect(attempt).toThrow(errorWith('RXI_INVALID_OBJECT'));
    expect(attempt).toThrow(expect.objectContaining({ object, problem, message: expect.stringContaining(problem) }));
  });
});

describe('splitMetaNamespaceKey', () => {
  it.each([
    ['web/a', { namespace: 'web', name: 'a' }],
    ['worker-1', { namespace: '', name: 'worker-1' }],
    ['/a', { namespace: '', name: 'a' }],
    ['web/', { namespace: 'web', name: '' }],
    ['', { namespace: '', name: '' }],
  ])('K2: splits %j', (key, parts) => {
    expect(splitMetaNamespaceKey(key)).toEqual(parts);
  });

  it.each(['a/b/c', 'a//b', '//'])('K2: refuses %j, which has three or more parts', (key) => {
    const attempt = (): unknown => splitMetaNamespaceKey(key);
    expect(attempt).toThrow(errorWith('RXI_INVALID_KEY'));
    expect(attempt).toThrow(`invalid key ${JSON.stringify(key)}: it must have the form "namespace/name" or "name"`);
  });

  it('K1, K2: reverses metaNamespaceKey', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.', ':', '%'), minLength: 1 });
    fc.assert(
      fc.property(fc.oneof(part, fc.constant('')), part, (namespace, name) => {
        expect(splitMetaNamespaceKey(metaNamespaceKey({ metadata: { namespace, name } }))).toEqual({ namespace, name });
      }),
    );
  });
});

describe('partitionedKey', () => {
  const keyOf = partitionedKey();
  const object = { metadata: { namespace: 'web', name: 'a' } };

  it('puts the partition before the key', () => {
    expect(keyOf(object, 'east')).toBe('east:web/a');
  });

  it('keeps the colon for an object without a partition, so no name can look like a partition', () => {
    expect(keyOf({ metadata: { name: 'system:node' } })).toBe(':system:node');
    expect(keyOf({ metadata: { name: 'node' } }, 'system')).toBe('system:node');
  });

  it('encodes only ambiguous characters in the name of a partition', () => {
    expect(keyOf(object, 'arn:aws:cluster/a b%')).toBe('arn%3Aaws%3Acluster%2Fa b%25:web/a');
  });

  it('accepts another inner key function', () => {
    const byUid = partitionedKey<{ metadata: { uid: string } }>(({ metadata }) => metadata.uid);
    expect(byUid({ metadata: { uid: 'u1' } }, 'east')).toBe('east:u1');
  });

  it('throws if the inner key function throws', () => {
    expect(() => keyOf({}, 'east')).toThrow(errorWith('RXI_INVALID_OBJECT'));
  });

  it('returns different keys for objects that differ in partition, namespace or name, and splits them back', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ':', '%', '/', '2', '5', 'é') });
    const part = fc.string({ unit: fc.constantFrom('a', ':', '%', '3', 'A'), minLength: 1 });
    const identity = fc.record({ partition: text, namespace: fc.oneof(part, fc.constant('')), name: part });
    const keyOfIdentity = ({
      partition,
      ...metadata
    }: {
      partition: string;
      namespace: string;
      name: string;
    }): string => keyOf({ metadata }, partition);
    fc.assert(
      fc.property(identity, identity, (one, other) => {
        expect(keyOfIdentity(one) === keyOfIdentity(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
        const { partition, key } = splitPartitionedKey(keyOfIdentity(one));
        expect({ partition, ...splitMetaNamespaceKey(key) }).toEqual(one);
      }),
    );
  });

  it.each(['web/a', 'a', '', 'a/b:c', '%zz:a', '%3:a'])('splitPartitionedKey refuses %j', (key) => {
    expect(() => splitPartitionedKey(key)).toThrow(errorWith('RXI_INVALID_KEY'));
  });
});

const { listed } = watchEvent;

/** Texts of few characters, of which those that separate or escape are many. */
const anyName = fc.string({ unit: fc.constantFrom('a', 'x', '/', ':', '%', '2', 'F', '\ud800', 'é'), maxLength: 4 });

const keyByName = ({ metadata }: KubernetesObject): string => metadata?.name ?? '';

describe('partitionedKey with random names', () => {
  it('never returns the same key for different partitions or inner keys, and both parts can be parsed again', () => {
    const keyOf = partitionedKey(keyByName);
    fc.assert(
      fc.property(anyName, anyName, anyName, anyName, (partition, name, otherPartition, otherName) => {
        const key = keyOf({ metadata: { name } }, partition);
        const other = keyOf({ metadata: { name: otherName } }, otherPartition);
        expect(key === other).toBe(partition === otherPartition && name === otherName);
        expect(splitPartitionedKey(key)).toEqual({ partition, key: name });
      }),
      { numRuns: 500 },
    );
  });
});

describe('the names of merged sources', () => {
  const source = (name: string): Source<Pod> =>
    concat(of<WatchEventBatch<Pod>>([listed([aPod({ namespace: 'web', name, resourceVersion: 1 })], '1')]), NEVER);

  it('are refused if two sources have the same partition: a/x, and x in a', () => {
    let failure: unknown;
    mergeSources({ 'a/x': source('p'), a: mergeSources({ x: source('q') }) }).subscribe({
      error: (error: unknown) => (failure = error),
    });

    expect(failure).toEqual(errorWith('RXI_INVALID_OPTION'));
    expect((failure as Error).message).toContain('"a/x"');
  });

  it('are accepted if each source has a partition of its own: an ARN has colons and slashes', () => {
    const arn = 'arn:aws:eks:eu-west-1:1:cluster/a';
    const podInformer = informer(mergeSources({ [arn]: source('p'), a: mergeSources({ x: source('q') }) }), {
      keyOf: partitionedKey(),
    });
    podInformer.connect();

    expect(podInformer.keys().map(splitPartitionedKey)).toEqual([
      { partition: 'a/x', key: 'web/q' },
      { partition: arn, key: 'web/p' },
    ]);
    podInformer.stop();
  });

  it('never let one object replace another, however sources are nested: all objects exist, or the source fails', () => {
    const name = fc.constantFrom('a', 'x', 'a/x', 'x/a', 'a/x/a', '', '/', '%2F', ':');
    const set = fc.uniqueArray(fc.tuple(name, fc.option(fc.uniqueArray(name, { minLength: 1, maxLength: 3 }))), {
      selector: ([outer]) => outer,
      minLength: 1,
      maxLength: 4,
    });
    let failed = 0;
    fc.assert(
      fc.property(set, (members) => {
        let count = 0;
        const leaf = (): Source<Pod> => {
          count += 1;
          return source('same');
        };
        const merged = mergeSources(
          Object.fromEntries(
            members.map(([outer, inner]) => [
              outer,
              inner === null ? leaf() : mergeSources(Object.fromEntries(inner.map((each) => [each, leaf()]))),
            ]),
          ),
        );
        let failure: unknown;
        let listed = 0;
        const subscription = merged.subscribe({
          next: (batch) => (listed += batch.filter(({ type }) => type === 'LISTED').length),
          error: (error: unknown) => (failure = error),
        });
        subscription.unsubscribe();
        const paths = members.flatMap(([outer, inner]) => inner?.map((each) => `${outer}/${each}`) ?? [outer]);
        const collides = new Set(paths).size < paths.length;
        failed += collides ? 1 : 0;
        expect(isRxInformersError(failure, 'RXI_INVALID_OPTION')).toBe(collides);
        expect(listed).toBe(collides ? 0 : count);
      }),
      { numRuns: 500 },
    );
    expect(failed).toBeGreaterThan(0);
  });
});
