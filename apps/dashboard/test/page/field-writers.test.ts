import type { ManagedFieldsEntry } from 'rx-informers/resources';
import { writersOf } from '../../page/history/field-writers.js';

const kubelet: ManagedFieldsEntry = {
  manager: 'kubelet',
  operation: 'Update',
  subresource: 'status',
  time: '2026-01-01T00:00:05Z',
  fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': { '.': {}, 'f:status': {} } }, 'f:podIP': {} } },
};
const scheduler: ManagedFieldsEntry = {
  manager: 'kube-scheduler',
  operation: 'Update',
  subresource: 'status',
  time: '2026-01-01T00:00:01Z',
  fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":"PodScheduled"}': { 'f:status': {} } } } },
};
const kubectl: ManagedFieldsEntry = {
  manager: 'kubectl',
  operation: 'Apply',
  time: '2026-01-01T00:00:00Z',
  fieldsV1: {
    'f:metadata': { 'f:labels': { 'f:app': {}, 'f:example.com/team': {} }, 'f:finalizers': { '.': {}, 'v:"a/b"': {} } },
    'f:spec': { 'f:tolerations': {} },
  },
};
const all = [kubectl, scheduler, kubelet];
const object = {
  metadata: { labels: { app: 'web' }, finalizers: ['a/b'] },
  status: {
    conditions: [
      { type: 'PodScheduled', status: 'True' },
      { type: 'Ready', status: 'True' },
    ],
  },
};
const names = (path: string, before?: readonly ManagedFieldsEntry[], after = all): readonly string[] =>
  writersOf(path, object, before, after).map(({ manager }) => manager);

describe('the writer of a field', () => {
  it.each([
    ['status.podIP', 'kubelet'],
    ['status.conditions[0].status', 'kube-scheduler'],
    ['status.conditions[1].status', 'kubelet'],
    ['metadata.labels.app', 'kubectl'],
    ['metadata.labels["example.com/team"]', 'kubectl'],
    ['metadata.finalizers[0]', 'kubectl'],
    ['spec.tolerations[0].key', 'kubectl'],
  ])('of %s is %s', (path, manager) => {
    expect(names(path)).toEqual([manager]);
  });

  it('is not the owner of only the map that contains the field', () => {
    const creator: ManagedFieldsEntry = { manager: 'creator', fieldsV1: { 'f:metadata': { 'f:labels': { '.': {} } } } };
    expect(names('metadata.labels.app', undefined, [creator, kubectl])).toEqual(['kubectl']);
  });

  it('is empty for a field without an owner', () => {
    expect(names('spec.nodeName')).toEqual([]);
    expect(names('status.conditions[7].status')).toEqual([]);
  });

  it('is the manager that owns it and has written since the version before', () => {
    const again = { ...kubectl, manager: 'argo' };
    expect(names('metadata.labels.app', [kubectl, kubelet], [kubectl, again, kubelet])).toEqual(['argo']);
  });

  it('is the manager that has written since then, if the field was removed', () => {
    expect(names('metadata.annotations.gone', [kubectl, scheduler], [kubectl, scheduler, kubelet])).toEqual([
      'kubelet',
    ]);
  });

  it('is its owner if two writes within one second look the same', () => {
    expect(names('status.podIP', all)).toEqual(['kubelet']);
  });

  it('is found despite invalid managed fields', () => {
    expect(
      names('a.b[0]', undefined, [{}, { fieldsV1: 7 }, { fieldsV1: { 'f:a': { 'f:b': { 'k:{': null } } } }]),
    ).toEqual([]);
  });
});
