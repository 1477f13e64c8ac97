import { OwnerReferenceError } from '../../../src/controller/write/owner-reference-error.js';
import {
  controllerOf,
  hasControllerReference,
  isControlledBy,
  ownerReferenceTo,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from '../../../src/controller/write/owner-references.js';
import type { KubernetesObject } from '../../../src/kubernetes/object.js';
import { configMaps } from '../../../src/kubernetes/resources/core.js';
import { freezeDeeply } from '../../../src/store/freeze.js';
import { aDeployment, aNode } from '../../../src/testing/index.js';
import { settings, stage } from './support/stage.js';

const owner = aDeployment({ name: 'shop', namespace: 'web', uid: 'u1' });
const reference = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop', uid: 'u1' };
const controller = { ...reference, controller: true, blockOwnerDeletion: true };
const object: KubernetesObject = freezeDeeply({ metadata: { namespace: 'web', name: 'settings', labels: { a: 'b' } } });

const aStatefulSet = (metadata: { readonly name: string; readonly uid: string }): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { namespace: 'web', ...metadata },
});

function problemOf(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    expect(error).toBeInstanceOf(OwnerReferenceError);
    return `${(error as OwnerReferenceError).problem}: ${(error as OwnerReferenceError).message}`;
  }
  return 'none';
}

describe('ownerReferenceTo', () => {
  it('says what the garbage collector looks for', () => {
    expect(ownerReferenceTo(owner)).toEqual(reference);
    expect(ownerReferenceTo(owner, { controller: true })).toEqual(controller);
    expect(ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: false })).toEqual({
      ...reference,
      controller: true,
    });
  });

  it('takes apiVersion and kind from the resource, where the owner does not say them', () => {
    const bare = { metadata: { name: 'a', uid: 'u' } };
    expect(ownerReferenceTo(bare, { resource: configMaps })).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
  });

  it.each<[string, KubernetesObject, string]>([
    ['no name', { metadata: { uid: 'u' } }, 'no-name'],
    ['no uid', { apiVersion: 'v1', kind: 'A', metadata: { name: 'a' } }, 'no-uid'],
    ['no kind', { apiVersion: 'v1', metadata: { name: 'a', uid: 'u' } }, 'no-kind'],
    ['no metadata', {}, 'no-name'],
  ])('is a typed error for an owner with %s', (_name, bad, problem) => {
    expect(problemOf(() => ownerReferenceTo(bad))).toMatch(problem);
  });
});

describe('setControllerReference', () => {
  it('gives a new object, and leaves the old one as it is', () => {
    const next = setControllerReference(owner, object);
    expect(next).toEqual({ metadata: { ...object.metadata, ownerReferences: [controller] } });
    expect(object.metadata?.ownerReferences).toBeUndefined();
  });

  it('gives the same object where it is so already', () => {
    const next = setControllerReference(owner, object);
    expect(setControllerReference(owner, next)).toBe(next);
  });

  it('keeps other owners, and renews its own reference where it stands', () => {
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' };
    const old = { ...controller, apiVersion: 'apps/v1beta1', uid: 'u0' };
    const owned = { metadata: { ...object.metadata, ownerReferences: [old, other] } };
    expect(setControllerReference(owner, owned).metadata.ownerReferences).toEqual([controller, other]);
    const plain = setOwnerReference(owner, object);
    expect(setControllerReference(owner, plain).metadata.ownerReferences).toEqual([controller]);
  });

  it('is a typed error where somebody else manages the object', () => {
    const managed = setControllerReference(aDeployment({ name: 'other', namespace: 'web', uid: 'o' }), object);
    expect(problemOf(() => setControllerReference(owner, managed))).toBe(
      'other-controller: settings has another controller already: Deployment other (uid o)',
    );
    expect(setOwnerReference(owner, managed).metadata.ownerReferences).toHaveLength(2);
    const namesake = aStatefulSet({ name: 'shop', uid: 'o' });
    expect(problemOf(() => setControllerReference(owner, setControllerReference(namesake, object)))).toMatch(
      /^other-controller: .* StatefulSet shop/,
    );
  });

  it('is a typed error where the owner is in another namespace, or the object in none', () => {
    const elsewhere = { metadata: { namespace: 'other', name: 'a' } };
    expect(problemOf(() => setControllerReference(owner, elsewhere))).toMatch(
      /^other-namespace: a is in namespace other/,
    );
    expect(problemOf(() => setControllerReference(owner, { metadata: { name: 'a' } }))).toMatch(/is in no namespace/);
    expect(problemOf(() => setOwnerReference(owner, elsewhere))).toMatch(/^other-namespace/);
  });

  it('lets what is in no namespace own anything', () => {
    const node = aNode({ name: 'n1' });
    expect(isControlledBy(setControllerReference(node, object), node)).toBe(true);
    expect(isControlledBy(setControllerReference(node, { metadata: { name: 'a' } }), node)).toBe(true);
  });

  it('makes the server delete the object after its owner', () => {
    const { run, put, client, server } = stage();
    const stored = put(settings({}));
    run(client.create(setControllerReference(stored, { metadata: { namespace: 'web', name: 'owned' } })));
    expect(server.objects.get(configMaps, 'owned', 'web')).toBeDefined();
    run(client.delete('web/settings'));
    expect(server.objects.get(configMaps, 'owned', 'web')).toBeUndefined();
  });
});

describe('owner references', () => {
  const managed = setControllerReference(owner, object);

  it('tell who manages an object', () => {
    expect(controllerOf(managed)).toEqual(controller);
    expect(hasControllerReference(managed)).toBe(true);
    expect(isControlledBy(managed, owner)).toBe(true);
    expect(isControlledBy(managed, aDeployment({ name: 'shop', namespace: 'web', uid: 'u2' }))).toBe(false);
    expect(isControlledBy(managed, {})).toBe(false);
    expect(isControlledBy({}, {})).toBe(false);
    expect(hasControllerReference(setOwnerReference(owner, object))).toBe(false);
  });

  it('are removed by uid; the object stays the same where there is none', () => {
    expect(removeOwnerReference(owner, managed).metadata.ownerReferences).toEqual([]);
    expect(removeOwnerReference(owner, object)).toBe(object);
    expect(removeOwnerReference({}, managed)).toBe(managed);
  });
});
