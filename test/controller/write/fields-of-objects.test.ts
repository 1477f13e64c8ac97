import fc from 'fast-check';
import {
  StatusError,
  configMaps,
  deployments,
  resource,
  type KubernetesObject,
  type RxInformersError,
} from 'rx-informers';
import {
  findCondition,
  isConditionTrue,
  removeCondition,
  setCondition,
  type Condition,
  controllerOf,
  hasControllerReference,
  hasOwnerReference,
  isControlledBy,
  ownerReferenceTo,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from 'rx-informers/controller';
import { fieldErrors, edit } from 'rx-informers/requests';
import { aDeployment, aNode } from 'rx-informers/testing';
import { freezeDeeply } from '../../../src/store/freeze.js';
import { stage, website, type Website, settings } from '../../requests/write/support/stage.js';

const at = (milliseconds: number) => ({ now: () => milliseconds });

const ready = { type: 'Ready', status: 'True', reason: 'AllUp', message: '' } as const;

const conditions: readonly Condition[] = [
  { type: 'Synced', status: 'True', reason: 'Done', message: '', lastTransitionTime: '2024-01-01T00:00:00Z' },
  { ...ready, lastTransitionTime: '2024-01-02T00:00:00Z', observedGeneration: 3 },
];

describe('setCondition', () => {
  it('appends a missing condition, with the time in whole seconds', () => {
    expect(setCondition(undefined, ready, at(1_999))).toEqual([
      { ...ready, lastTransitionTime: '1970-01-01T00:00:01Z' },
    ]);
    expect(setCondition([conditions[0]!], ready, at(0)).map(({ type }) => type)).toEqual(['Synced', 'Ready']);
  });

  it('sets a new time if the status changes, and keeps the position', () => {
    const failed = { type: 'Synced', status: 'False', reason: 'Failed', message: 'no' } as const;
    const next = setCondition(conditions, failed, at(60_000));
    expect(next).toEqual([{ ...failed, lastTransitionTime: '1970-01-01T00:01:00Z' }, conditions[1]]);
    expect(next[1]).toBe(conditions[1]);
  });

  it('keeps the time if only reason, message or observedGeneration change', () => {
    const next = setCondition(conditions, { ...ready, reason: 'Again', observedGeneration: 4 }, at(60_000));
    expect(next[1]).toEqual({
      ...ready,
      reason: 'Again',
      observedGeneration: 4,
      lastTransitionTime: '2024-01-02T00:00:00Z',
    });
  });

  it('returns the same array if nothing changes', () => {
    expect(setCondition(conditions, { ...ready, observedGeneration: 3 }, at(60_000))).toBe(conditions);
    expect(setCondition(conditions, { ...ready }, at(60_000))).toBe(conditions);
  });

  it('uses the time that the condition itself has', () => {
    const lastTransitionTime = '2020-01-01T00:00:00Z';
    const unknown = { ...ready, status: 'Unknown', lastTransitionTime } as const;
    expect(findCondition(setCondition(conditions, unknown, at(0)), 'Ready')).toMatchObject(unknown);
    expect(setCondition(undefined, unknown, at(0))).toEqual([unknown]);
  });

  it('keeps additional fields of a condition', () => {
    const progressing = [{ type: 'Progressing', status: 'True', lastUpdateTime: 'then' }];
    expect(setCondition(progressing, { type: 'Progressing', status: 'False', lastUpdateTime: 'now' }, at(0))).toEqual([
      { type: 'Progressing', status: 'False', lastUpdateTime: 'now', lastTransitionTime: '1970-01-01T00:00:00Z' },
    ]);
  });

  it('never creates two conditions of a type, modifies its argument, or moves a time back if the status stays', () => {
    const anyCondition = fc.record({
      type: fc.constantFrom('A', 'B', 'C'),
      status: fc.constantFrom('True' as const, 'False' as const),
      reason: fc.constantFrom('x', 'y'),
      message: fc.constant(''),
    });
    fc.assert(
      fc.property(fc.array(anyCondition), (script) => {
        let known: readonly Condition[] = [];
        script.forEach((condition, step) => {
          const before = structuredClone(known);
          const next = setCondition(Object.freeze(known), condition, at(step * 1_000));
          expect(known).toEqual(before);
          expect(new Set(next.map(({ type }) => type)).size).toBe(next.length);
          expect(next).toContainEqual(expect.objectContaining(condition));
          const previous = findCondition(known, condition.type);
          const kept = findCondition(next, condition.type)?.lastTransitionTime === previous?.lastTransitionTime;
          expect(kept).toBe(previous?.status === condition.status);
          known = next;
        });
      }),
    );
  });

  it('produces the smallest patch in an edit of the status, and none if nothing changes', () => {
    const { run, putWebsite, websites, patches, requests } = stage();
    const object = putWebsite(website());
    const report = (on: Website, message: string) =>
      edit(
        websites,
        on,
        (draft) => {
          draft.status ??= {};
          draft.status.conditions = setCondition(draft.status.conditions, { ...ready, message }, at(0));
        },
        { subresource: 'status' },
      );
    const [first] = run(report(object, '')).values;
    const [second] = run(report(first!, 'all up')).values;
    expect(patches.at(-1)).toEqual([{ op: 'replace', path: '/status/conditions/0/message', value: 'all up' }]);
    expect(run(report(second!, 'all up')).values[0]).toBe(second);
    expect(requests).toHaveLength(2);
  });
});

describe('helpers for conditions', () => {
  it('find a condition by its type', () => {
    expect(findCondition(conditions, 'Ready')).toBe(conditions[1]);
    expect(findCondition(conditions, 'Other')).toBeUndefined();
    expect(findCondition(undefined, 'Ready')).toBeUndefined();
  });

  it('treat a condition as true only if it exists and its status is True', () => {
    expect(isConditionTrue(conditions, 'Ready')).toBe(true);
    expect(isConditionTrue(setCondition(conditions, { ...ready, status: 'Unknown' }), 'Ready')).toBe(false);
    expect(isConditionTrue(conditions, 'Other')).toBe(false);
    expect(isConditionTrue(undefined, 'Ready')).toBe(false);
  });

  it('remove a condition by its type; the array is the same if there is none', () => {
    expect(removeCondition(conditions, 'Ready')).toEqual([conditions[0]]);
    expect(removeCondition(conditions, 'Other')).toBe(conditions);
    expect(removeCondition(undefined, 'Ready')).toEqual([]);
  });
});

const request = { method: 'PATCH', url: '/x' };

describe('fieldErrors', () => {
  it('returns each field once, in the order of the server', () => {
    const cause = { field: 'spec.replicas', reason: 'FieldValueInvalid', message: 'Invalid value: -1' };
    const causes = [cause, { message: 'something else' }, { ...cause }];
    const error = new StatusError(request, { code: 422, reason: 'Invalid', details: { causes } });
    expect(fieldErrors(error)).toEqual([cause, { field: '', reason: '', message: 'something else' }]);
  });

  it('returns the fields for which an embedded server refuses an object, and the error message names them too', () => {
    const { run, client, put } = stage();
    put(settings({}));
    const { error } = run(client.patch('web/settings', { metadata: { labels: { a: '-', b: '-' } } }));
    expect(fieldErrors(error)).not.toHaveLength(0);
    for (const { field, message } of fieldErrors(error)) {
      expect((error as Error).message).toContain(`${field}: ${message}`);
    }
  });

  it('returns nothing for other errors', () => {
    const conflict = new StatusError(request, { code: 409, details: { causes: [{ field: 'x' }] } });
    const unexplained = new StatusError(request, { code: 422 });
    expect([conflict, unexplained, new Error('x'), undefined].flatMap(fieldErrors)).toEqual([]);
  });
});

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
    return 'none';
  } catch (error) {
    if ((error as RxInformersError).code !== 'RXI_OWNER_REFERENCE') throw error;
    const { problem, message } = error as RxInformersError<'RXI_OWNER_REFERENCE'>;
    return `${problem}: ${message}`;
  }
}

describe('ownerReferenceTo', () => {
  it('contains the fields that the garbage collector reads', () => {
    expect(ownerReferenceTo(owner)).toEqual(reference);
    expect(ownerReferenceTo(owner, { controller: true })).toEqual(controller);
    expect(ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: false })).toEqual({
      ...reference,
      controller: true,
    });
  });

  it('takes apiVersion and kind from the resource if the owner does not have them', () => {
    const bare = { metadata: { name: 'a', uid: 'u' } };
    expect(ownerReferenceTo(bare, { resource: configMaps })).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
  });

  it('takes apiVersion and kind from a given resource, not from the owner', () => {
    const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: owner.metadata };
    expect(ownerReferenceTo(partial, { resource: deployments })).toEqual(reference);
    expect(setControllerReference(partial, object, { resource: deployments })).toEqual(
      setControllerReference(owner, object),
    );
    const { group, version, plural, namespaced } = deployments;
    const withoutKind = resource({ group, version, plural, namespaced });
    expect(ownerReferenceTo({ ...owner, apiVersion: 'apps/v1beta1' }, { resource: withoutKind })).toEqual(reference);
  });

  it('never refers to PartialObjectMetadata, which the garbage collector does not know', () => {
    const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: owner.metadata };
    const { group, version, plural, namespaced } = deployments;
    const expected =
      'no-kind: the kind of the owner web/shop is unknown: it states only that it is PartialObjectMetadata of meta.k8s.io/v1; pass { resource } with its kind';
    expect(problemOf(() => setControllerReference(partial, object))).toBe(expected);
    expect(problemOf(() => setOwnerReference(partial, object))).toBe(expected);
    const withoutKind = resource({ group, version, plural, namespaced });
    expect(problemOf(() => ownerReferenceTo(partial, { resource: withoutKind }))).toBe(expected);
  });

  it.each<[string, KubernetesObject, string]>([
    ['no name', { metadata: { uid: 'u' } }, 'no-name'],
    ['no uid', { apiVersion: 'v1', kind: 'A', metadata: { name: 'a' } }, 'no-uid'],
    ['no kind', { apiVersion: 'v1', metadata: { name: 'a', uid: 'u' } }, 'no-kind'],
    ['no metadata', {}, 'no-name'],
  ])('throws a typed error for an owner with %s', (_name, bad, problem) => {
    expect(problemOf(() => ownerReferenceTo(bad))).toMatch(problem);
  });
});

describe('setControllerReference', () => {
  it('returns a new object, and does not modify the old one', () => {
    const next = setControllerReference(owner, object);
    expect(next).toEqual({ metadata: { ...object.metadata, ownerReferences: [controller] } });
    expect(object.metadata?.ownerReferences).toBeUndefined();
  });

  it('returns the same object if nothing changes', () => {
    const next = setControllerReference(owner, object);
    expect(setControllerReference(owner, next)).toBe(next);
  });

  it('keeps other owners, and updates its own reference in place', () => {
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' };
    const old = { ...controller, apiVersion: 'apps/v1beta1', uid: 'u0' };
    const owned = { metadata: { ...object.metadata, ownerReferences: [old, other] } };
    expect(setControllerReference(owner, owned).metadata.ownerReferences).toEqual([controller, other]);
    const plain = setOwnerReference(owner, object);
    expect(setControllerReference(owner, plain).metadata.ownerReferences).toEqual([controller]);
  });

  it('throws a typed error if another manager owns the object', () => {
    const managed = setControllerReference(aDeployment({ name: 'other', namespace: 'web', uid: 'o' }), object);
    expect(problemOf(() => setControllerReference(owner, managed))).toBe(
      'other-controller: web/settings already has another controller: Deployment other (uid o)',
    );
    expect(setOwnerReference(owner, managed).metadata.ownerReferences).toHaveLength(2);
    const namesake = aStatefulSet({ name: 'shop', uid: 'o' });
    expect(problemOf(() => setControllerReference(owner, setControllerReference(namesake, object)))).toMatch(
      /^other-controller: .* StatefulSet shop/,
    );
  });

  it('throws a typed error if the owner is in another namespace, or the object is cluster-scoped', () => {
    const inOtherPlaces = { metadata: { namespace: 'other', name: 'a' } };
    expect(problemOf(() => setControllerReference(owner, inOtherPlaces))).toMatch(
      /^other-namespace: Deployment web\/shop cannot own other\/a: /,
    );
    expect(problemOf(() => setControllerReference(owner, { metadata: { name: 'a' } }))).toMatch(
      /cannot own a: an owner must be/,
    );
    expect(problemOf(() => setOwnerReference(owner, inOtherPlaces))).toMatch(/^other-namespace/);
  });

  it('accepts a cluster-scoped owner for any object', () => {
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

  it('managed fields name the managers of an object', () => {
    expect(controllerOf(managed)).toEqual(controller);
    expect(hasControllerReference(managed)).toBe(true);
    expect(isControlledBy(managed, owner)).toBe(true);
    expect(isControlledBy(managed, aDeployment({ name: 'shop', namespace: 'web', uid: 'u2' }))).toBe(false);
    expect(isControlledBy(managed, {})).toBe(false);
    expect(isControlledBy({}, {})).toBe(false);
    expect(hasControllerReference(setOwnerReference(owner, object))).toBe(false);
  });

  const { metadata } = owner;
  const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata };

  it.each<[string, KubernetesObject, object | undefined]>([
    ['the same object', owner, undefined],
    ['its successor of the same name, with another uid', { ...owner, metadata: { ...metadata, uid: 'u2' } }, undefined],
    ['the same object in another version of the API', { ...owner, apiVersion: 'apps/v1beta2' }, undefined],
    [
      'the same object in a group that its kind has moved to',
      { ...owner, apiVersion: 'extensions/v1beta1' },
      undefined,
    ],
    ['an owner that is not stored yet', { ...owner, metadata: { name: 'shop', namespace: 'web' } }, undefined],
    ['an object of a metadata cache, by uid', partial, undefined],
    ['a trimmed successor, with its resource', { metadata: { ...metadata, uid: 'u2' } }, { resource: deployments }],
  ])('are found and removed for %s', (_name, requested, options) => {
    expect(hasOwnerReference(requested, managed, options)).toBe(true);
    expect(removeOwnerReference(requested, managed, options).metadata.ownerReferences).toEqual([]);
  });

  it.each<[string, KubernetesObject, object | undefined]>([
    ['another name', { ...owner, metadata: { ...metadata, name: 'other', uid: 'u2' } }, undefined],
    ['another kind', { ...owner, kind: 'StatefulSet', metadata: { ...metadata, uid: 'u2' } }, undefined],
    ['another group', { ...owner, apiVersion: 'v1', metadata: { ...metadata, uid: 'u2' } }, undefined],
    ['another resource', { ...owner, metadata: { ...metadata, uid: 'u2' } }, { resource: configMaps }],
    ['another namespace', { ...owner, metadata: { ...metadata, namespace: 'b', uid: 'u2' } }, undefined],
    ['a successor without a known kind', { metadata: { ...metadata, uid: 'u2' } }, undefined],
    ['no fields at all', {}, undefined],
  ])('are distinguished from references to an owner of %s', (_name, requested, options) => {
    expect(hasOwnerReference(requested, managed, options)).toBe(false);
    expect(removeOwnerReference(requested, managed, options)).toBe(managed);
  });

  it('are removed one by one, and the object stays the same if there are none', () => {
    const both = setOwnerReference(aNode({ name: 'n1' }), managed);
    expect(removeOwnerReference(owner, both).metadata.ownerReferences).toMatchObject([{ kind: 'Node', name: 'n1' }]);
    expect(hasOwnerReference(owner, object)).toBe(false);
    expect(removeOwnerReference(owner, object)).toBe(object);
  });
});
