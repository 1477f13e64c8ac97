import { informer, listWatch, StatusError } from 'rx-informers';
import { connect } from './support/cluster.js';
import { customKind } from './support/custom-kind.js';
import { eventually } from './support/eventually.js';
import { follow } from './support/follower.js';

const cluster = connect();
afterAll(() => cluster.cleanUp());

describe('a CustomResourceDefinition that is deleted and created again', () => {
  it('G5, G7: an informer reports a missing kind as not-found, and later its new objects, without a restart', async () => {
    const namespace = await cluster.createNamespace();
    const kind = customKind(cluster);
    const gadgets = await kind.install();
    await cluster.create(gadgets, { metadata: { namespace, name: 'a' }, spec: { size: 1 } });

    const followed = informer(listWatch(cluster.client, gadgets, { namespace }));
    const follower = follow(followed);
    const before = await eventually(followed.get$(`${namespace}/a`), (gadget) => gadget !== undefined);

    await kind.uninstall();
    const status = await eventually(followed.status$, ({ state }) => state === 'not-found');
    expect(status).toMatchObject({ cause: expect.any(StatusError), attempt: expect.any(Number) });

    await kind.install();
    await cluster.create(gadgets, { metadata: { namespace, name: 'a' }, spec: { size: 2 } });
    const after = await eventually(followed.get$(`${namespace}/a`), (gadget) => gadget?.spec.size === 2);
    await eventually(followed.status$, ({ state }) => state === 'watching');

    expect(after?.metadata?.uid).not.toBe(before.metadata?.uid);
    expect(followed.list()).toEqual([after]);
    expect(follower.contradictions).toEqual([]);
    // Never an update from the old object to the new one: they only share a name.
    expect(follower.changeSets.flatMap(({ changes }) => changes.map(({ type }) => type))).toEqual([
      'added',
      'deleted',
      'added',
    ]);
    await kind.uninstall();
  });
});
