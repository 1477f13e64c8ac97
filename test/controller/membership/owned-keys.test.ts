import { of, Subject, throwError, VirtualTimeScheduler } from 'rxjs';
import { createIndexer, metaNamespaceKey, type Pod } from 'rx-informers';
import { gainedKeys, ownedKeys, whereOwned, type KeyRequest } from 'rx-informers/controller';
import { aPod } from 'rx-informers/testing';
import { FakeMembership } from './support/fake-membership.js';

const pod = (name: string): Pod => aPod({ name, namespace: 'web' });

/** Another version of it. */
const newer = (name: string): Pod => {
  const old = pod(name);
  return { ...old, metadata: { ...old.metadata, resourceVersion: '99' } };
};

function podsOf(...names: readonly string[]) {
  const indexer = createIndexer<Pod>((object) => metaNamespaceKey(object), {});
  indexer.replace(names.map(pod));
  return indexer;
}

function told(keys: (requests: string[]) => void): readonly string[] {
  const requests: string[] = [];
  keys(requests);
  return requests;
}

/** Keys of one change set come within one call in virtual time; otherwise in slices. */
const inVirtualTime = () => ({ scheduler: new VirtualTimeScheduler() });

const line = ({ key, priority, reason }: KeyRequest): string => `${key} ${priority} ${String(reason)}`;

describe('whereOwned', () => {
  it('lets through the keys and requests that are owned when they come', () => {
    const membership = new FakeMembership('a');
    const inputs = new Subject<string | KeyRequest>();
    const through: unknown[] = [];
    inputs.pipe(whereOwned(membership)).subscribe((input) => through.push(input));
    inputs.next('a');
    inputs.next('b');
    membership.own('b');
    inputs.next('a');
    inputs.next({ key: 'b', reason: 'changed' });
    expect(through).toEqual(['a', { key: 'b', reason: 'changed' }]);
  });

  it('judges what comes on subscription', () => {
    const through: string[] = [];
    of('a', 'b')
      .pipe(whereOwned(new FakeMembership('b')))
      .subscribe((key) => through.push(key));
    expect(through).toEqual(['b']);
  });

  it('lets nothing through before the membership has said anything', () => {
    const through: string[] = [];
    of('a')
      .pipe(whereOwned(new Subject()))
      .subscribe((key) => through.push(key));
    expect(through).toEqual([]);
  });

  it('passes completion and errors of the source on, and leaves both', () => {
    const membership = new FakeMembership('a');
    const ends: unknown[] = [];
    of('a')
      .pipe(whereOwned(membership))
      .subscribe({ complete: () => ends.push('complete') });
    throwError(() => new Error('broken'))
      .pipe(whereOwned<string>(membership))
      .subscribe({ error: (error: Error) => ends.push(error.message) });
    expect(ends).toEqual(['complete', 'broken']);
    expect(membership.observed).toBe(false);
  });
});

describe('gainedKeys', () => {
  it('emits the owned keys that exist, and later those that are gained, and no others', () => {
    const membership = new FakeMembership('web/a', 'web/none');
    const requests = told((lines) =>
      gainedKeys(podsOf('a', 'b', 'c'), membership, inVirtualTime()).subscribe((request) => lines.push(line(request))),
    );
    expect(requests).toEqual(['web/a -100 gained']);
    membership.own('web/a', 'web/c');
    membership.own('web/c');
    expect(requests).toEqual(['web/a -100 gained', 'web/c -100 gained']);
  });

  it('emits a gained key that was deleted before, once: its former owner may not have seen it', () => {
    const membership = new FakeMembership('web/a');
    const pods = podsOf('a', 'b');
    const requests = told((lines) =>
      gainedKeys(pods, membership, inVirtualTime()).subscribe(({ key }) => lines.push(key)),
    );
    pods.delete(pod('b'));
    membership.own('web/a', 'web/b');
    membership.own('web/a');
    membership.own('web/a', 'web/b');
    expect(requests).toEqual(['web/a', 'web/b']);
  });

  it('remembers at most as many deleted keys as configured', () => {
    const membership = new FakeMembership();
    const pods = podsOf('a', 'b', 'c');
    const requests = told((lines) =>
      gainedKeys(pods, membership, { rememberDeleted: 2, ...inVirtualTime() }).subscribe(({ key }) => lines.push(key)),
    );
    for (const name of ['a', 'b', 'c']) pods.delete(pod(name));
    membership.own('web/a', 'web/b', 'web/c');
    expect(requests).toEqual(['web/b', 'web/c']);
  });

  it('throws a RangeError for a number that is none', () => {
    expect(() => gainedKeys(podsOf(), new FakeMembership(), { rememberDeleted: -1 })).toThrow(RangeError);
  });

  it('leaves membership and collection with its subscriber', () => {
    const membership = new FakeMembership('web/a');
    gainedKeys(podsOf('a'), membership).subscribe().unsubscribe();
    expect(membership.observed).toBe(false);
  });
});

describe('ownedKeys', () => {
  it('misses nothing: what is owned, what changes of it, and what is gained', () => {
    const membership = new FakeMembership('web/a');
    const pods = podsOf('a', 'b');
    const requests: string[] = [];
    ownedKeys(pods, membership, inVirtualTime()).subscribe((request) => requests.push(line(request)));
    expect(new Set(requests)).toEqual(new Set(['web/a -100 gained', 'web/a -100 added:initial']));
    requests.length = 0;

    pods.update(newer('a'));
    pods.update(newer('b'));
    pods.add(pod('c'));
    expect(requests).toEqual(['web/a 0 updated:watch']);
    membership.own('web/b', 'web/c');
    expect(requests.slice(1)).toEqual(['web/b -100 gained', 'web/c -100 gained']);
  });
});
