import type { V1Pod } from '@kubernetes/client-node';
import { expectTypeOf } from 'expect-type';
import { type Indexers, indexByField, indexByLabel, indexByNamespace, indexByNode, indexByOwner } from 'rx-informers';
import type { ObjectFromServer } from 'rx-informers/resources';
import { indexByController, emptySnapshot, reduceDeltas } from 'rx-informers/store';
import { errorWith } from '../../support/error-with.js';

const owner = (
  uid: string,
  controller?: boolean,
): { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean } => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  name: uid,
  uid,
  ...(controller !== undefined && { controller }),
});

describe('indexByNamespace', () => {
  it.each([
    [{ metadata: { namespace: 'web' } }, 'web'],
    [{ metadata: { namespace: '' } }, ''],
    [{ metadata: {} }, ''],
    [{}, ''],
  ])('S16: puts %j into bucket %j', (object, value) => {
    expect(indexByNamespace(object)).toBe(value);
  });
});

describe('indexByLabel', () => {
  it('is the same function for the same label, so several callers of a registry can request it', () => {
    expect(indexByLabel('app')).toBe(indexByLabel('app'));
    expect(indexByLabel('app')).not.toBe(indexByLabel('tier'));
  });

  it.each([
    [{ metadata: { labels: { app: 'web' } } }, 'web'],
    [{ metadata: { labels: { app: '' } } }, ''],
    [{ metadata: { labels: { tier: 'web' } } }, undefined],
    [{ metadata: {} }, undefined],
    [{}, undefined],
  ])('returns %j as the index value of %j', (object, value) => {
    expect(indexByLabel('app')(object)).toBe(value);
  });

  it('ignores inherited members of Object.prototype', () => {
    expect(indexByLabel('toString')({ metadata: { labels: {} } })).toBeUndefined();
  });
});

describe('indexByNode', () => {
  it('returns the node, and nothing for a pod that is not scheduled', () => {
    expect(indexByNode({ spec: { nodeName: 'worker-1' } })).toBe('worker-1');
    expect([indexByNode({ spec: { nodeName: '' } }), indexByNode({ spec: {} }), indexByNode({})]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('indexByOwner', () => {
  it('returns the uid of every owner', () => {
    expect(indexByOwner({ metadata: { ownerReferences: [owner('u1'), owner('u2', true)] } })).toEqual(['u1', 'u2']);
    expect([indexByOwner({ metadata: {} }), indexByOwner({})]).toEqual([[], []]);
  });
});

describe('indexByController', () => {
  it('returns the uid of the owner that manages the object', () => {
    expect(indexByController({ metadata: { ownerReferences: [owner('u1', false), owner('u2', true)] } })).toBe('u2');
    expect(indexByController({ metadata: { ownerReferences: [owner('u1')] } })).toBeUndefined();
    expect(indexByController({})).toBeUndefined();
  });
});

describe('indexByField', () => {
  it.each([
    ['spec.nodeName', { spec: { nodeName: 'worker-1' } }, ['worker-1']],
    ['spec.nodeName', { spec: {} }, []],
    ['spec.nodeName', { spec: null }, []],
    ['spec.nodeName', {}, []],
    ['spec.nodeName', { spec: 'text' }, []],
    ['spec.nodeName', { spec: { nodeName: '' } }, ['']],
    ['spec.replicas', { spec: { replicas: 0 } }, ['0']],
    ['spec.paused', { spec: { paused: false } }, ['false']],
    ['metadata.finalizers', { metadata: { finalizers: ['f', 'g', 'f'] } }, ['f', 'g']],
    [
      'spec.containers.image',
      { spec: { containers: [{ image: 'x' }, { image: 'y' }, {}, { image: 'x' }] } },
      ['x', 'y'],
    ],
    [['metadata', 'annotations', 'example.com/a.b'], { metadata: { annotations: { 'example.com/a.b': 'c' } } }, ['c']],
    ['spec.toString', { spec: {} }, []],
    ['kind', undefined, []],
  ])('indexByField(%j) of %j is %j', (path, object, values) => {
    expect(indexByField(path)(object)).toEqual(values);
  });

  it('throws for a field that is an object, and names the path', () => {
    expect(() => indexByField('spec.template')({ spec: { template: {} } })).toThrow(
      'spec.template is not a string, a number or a boolean',
    );
  });

  it.each(['', 'spec.', '.spec', 'spec..nodeName', [], ['']])('throws at once for the path %j', (path) => {
    expect(() => indexByField(path)).toThrow(errorWith('RXI_INVALID_OPTION'));
  });

  it('is not affected by a path that its caller changes afterwards', () => {
    const path = ['spec', 'nodeName'];
    const indexFunction = indexByField(path);
    path.pop();
    expect(indexFunction({ spec: { nodeName: 'n' } })).toEqual(['n']);
  });
});

describe('all index functions', () => {
  const indexers = {
    namespace: indexByNamespace,
    app: indexByLabel('app'),
    node: indexByNode,
    owner: indexByOwner,
    controller: indexByController,
    phase: indexByField('status.phase'),
  };

  it('accept the objects of a source and those of client-node', () => {
    expectTypeOf(indexers).toExtend<Indexers<ObjectFromServer<V1Pod>>>();
    expectTypeOf(indexers).toExtend<Indexers<V1Pod>>();
  });

  it('create the buckets that their names promise', () => {
    const object = {
      metadata: { name: 'a', namespace: 'web', labels: { app: 'x' }, ownerReferences: [owner('u1', true)] },
      spec: { nodeName: 'n1' },
      status: { phase: 'Running' },
    };
    const empty = emptySnapshot<typeof object, keyof typeof indexers>(indexers);
    const { snapshot, errors } = reduceDeltas(empty, [{ type: 'Added', key: 'web/a', object }]);
    const values = Object.fromEntries(
      Object.keys(indexers).map((name) => [name, snapshot.indexValues(name as keyof typeof indexers)]),
    );
    expect(values).toEqual({
      namespace: ['web'],
      app: ['x'],
      node: ['n1'],
      owner: ['u1'],
      controller: ['u1'],
      phase: ['Running'],
    });
    expect(errors).toEqual([]);
  });
});
