import { ownerKeys } from '../../../src/controller/reconcile/triggers.js';
import type { KubernetesObject, OwnerReference } from 'rx-informers';
import { aChild, aSite, aThing, by } from './support/stores.js';

const primaries = new Map<string, KubernetesObject>([
  ['web/a', aSite('web/a')],
  ['web/b', aSite('web/b')],
  ['cluster-wide', aSite('cluster-wide')],
  ['web/pod', aThing('v1', 'Pod', 'web/pod', 1)],
]);
const keysOf = (references: readonly OwnerReference[] | undefined, { everyOwner = false, name = 'web/child' } = {}) =>
  ownerKeys(aChild(name, references), primaries, { everyOwner });

describe('ownerKeys', () => {
  it('finds the owner that manages the object, in its namespace', () => {
    expect(keysOf([by('a')])).toEqual(['web/a']);
  });

  it('finds an owner without a namespace', () => {
    expect(keysOf([by('cluster-wide')])).toEqual(['cluster-wide']);
    expect(keysOf([by('cluster-wide')], { name: 'child-without-namespace' })).toEqual(['cluster-wide']);
  });

  it('does not look for an owner in a namespace where the object has none', () => {
    expect(keysOf([by('a')], { name: 'child-without-namespace' })).toEqual([]);
  });

  it('passes over other owners, unless every owner counts', () => {
    const references = [by('a', { controller: false }), by('b', { controller: undefined })];
    expect(keysOf(references)).toEqual([]);
    expect(keysOf(references, { everyOwner: true })).toEqual(['web/a', 'web/b']);
  });

  it('does not take another kind of the same name for the owner', () => {
    expect(keysOf([by('a', { kind: 'Deployment' })])).toEqual([]);
  });

  it('does not take the same kind of another API group for the owner', () => {
    expect(keysOf([by('a', { apiVersion: 'other.example/v1' })])).toEqual([]);
    expect(keysOf([by('a', { apiVersion: 'v1' })])).toEqual([]);
  });

  it('does not mind another version of the API, nor another uid', () => {
    expect(keysOf([by('a', { apiVersion: 'web.example/v1beta1', uid: 'predecessor' })])).toEqual(['web/a']);
  });

  it('knows owners of the core group', () => {
    expect(keysOf([by('pod', { apiVersion: 'v1', kind: 'Pod' })])).toEqual(['web/pod']);
  });

  it('knows no key of an owner that is not there', () => {
    expect(keysOf([by('gone')])).toEqual([]);
  });

  it.each([[undefined], [[]]])('knows no owner of what names none (%j)', (references) => {
    expect(keysOf(references)).toEqual([]);
  });

  it('knows no owner of what has no metadata', () => {
    expect(ownerKeys({}, primaries, { everyOwner: true })).toEqual([]);
  });
});
