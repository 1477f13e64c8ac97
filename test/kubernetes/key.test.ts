import fc from 'fast-check';
import {
  InvalidKeyError,
  InvalidObjectError,
  metaNamespaceKey,
  splitMetaNamespaceKey,
  partitionedKey,
  splitPartitionedKey,
} from 'rx-informers';

describe('metaNamespaceKey', () => {
  it('K1: is namespace/name for a namespaced object', () => {
    expect(metaNamespaceKey({ metadata: { namespace: 'web', name: 'a' } })).toBe('web/a');
  });

  it.each([undefined, ''])('K1: is the name alone where the namespace is %p', (namespace) => {
    expect(metaNamespaceKey({ metadata: { namespace, name: 'worker-1' } })).toBe('worker-1');
  });

  it('K1: does not look at uid, kind or resourceVersion', () => {
    const metadata = { namespace: 'web', name: 'a' };
    expect(metaNamespaceKey({ kind: 'Pod', metadata: { ...metadata, uid: '1', resourceVersion: '7' } })).toBe(
      metaNamespaceKey({ kind: 'Service', metadata: { ...metadata, uid: '2', resourceVersion: '8' } }),
    );
  });

  it('leaves the colons of a name alone', () => {
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
  ])('K3: throws an InvalidObjectError for %j', (object, problem) => {
    const attempt = (): string => metaNamespaceKey(object as never);
    expect(attempt).toThrow(InvalidObjectError);
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

  it.each(['a/b/c', 'a//b', '//'])('K2: refuses %j, which has three parts or more', (key) => {
    const attempt = (): unknown => splitMetaNamespaceKey(key);
    expect(attempt).toThrow(InvalidKeyError);
    expect(attempt).toThrow(`unexpected key ${JSON.stringify(key)}: expected "namespace/name" or "name"`);
  });

  it('K1, K2: returns what metaNamespaceKey put in', () => {
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

  it('keeps the colon where an object has no partition, so that no name can pass for a partition', () => {
    expect(keyOf({ metadata: { name: 'system:node' } })).toBe(':system:node');
    expect(keyOf({ metadata: { name: 'node' } }, 'system')).toBe('system:node');
  });

  it('encodes what would be ambiguous in the name of a partition, and nothing else', () => {
    expect(keyOf(object, 'arn:aws:cluster/a b%')).toBe('arn%3Aaws%3Acluster%2Fa b%25:web/a');
  });

  it('takes another inner key', () => {
    const byUid = partitionedKey<{ metadata: { uid: string } }>(({ metadata }) => metadata.uid);
    expect(byUid({ metadata: { uid: 'u1' } }, 'east')).toBe('east:u1');
  });

  it('fails where the inner key fails', () => {
    expect(() => keyOf({}, 'east')).toThrow(InvalidObjectError);
  });

  it('gives different keys to whatever differs in partition, namespace or name, and splits back', () => {
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
    expect(() => splitPartitionedKey(key)).toThrow(InvalidKeyError);
  });
});
