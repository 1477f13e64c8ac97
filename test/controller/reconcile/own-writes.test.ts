import type { RecordedWrite } from '../../../src/controller/api/recording-client.js';
import { OwnTriggers } from '../../../src/controller/reconcile/stale-cache-guard.js';
import { OwnWrites } from '../../../src/controller/reconcile/own-writes.js';
import { reasonText } from '../../../src/controller/reconcile/reconcile-event.js';
import type { Trigger } from '../../../src/controller/reconcile/triggers.js';
import { configMaps } from 'rx-informers';

function write(uid: string, version: string | undefined, labels: Readonly<Record<string, string>> = {}): RecordedWrite {
  const object = { metadata: { name: uid, namespace: 'default', uid, resourceVersion: version, labels } };
  const isGone = version === undefined;
  const verb = isGone ? 'delete' : 'patch';
  return { verb, resource: configMaps, object, uid, resourceVersion: version, isGone, waitForCache: true };
}

const versionsOf = (writes: OwnWrites, key: string) =>
  writes.unobserved(key).map((each) => each.map(({ resourceVersion }) => resourceVersion ?? 'gone'));

describe('what the runs of a key have written', () => {
  it('waits for the last of several versions of an object, and for a deletion after the version before it', () => {
    const writes = new OwnWrites();
    for (const each of [write('a', '1'), write('a', '2'), write('b', '3'), write('b', undefined)])
      writes.record('k', each);
    expect(versionsOf(writes, 'k')).toEqual([['2'], ['3', 'gone']]);
  });

  it('waits for each version whose labels differ, because a selector may distinguish them', () => {
    const writes = new OwnWrites();
    for (const each of [write('a', '1', { app: 'web' }), write('a', '2', { app: 'api' })]) writes.record('k', each);
    expect(versionsOf(writes, 'k')).toEqual([['1', '2']]);
  });

  it('knows its own versions and deletions by uid, of its own key only', () => {
    const writes = new OwnWrites();
    writes.record('k', write('a', '1'));
    writes.record('k', write('b', undefined));
    const isOwn = (key: string, uid: string, resourceVersion: string, isDeleted = false) =>
      writes.isOwn(key, { uid, resourceVersion, isDeleted });
    expect([isOwn('k', 'a', '1'), isOwn('k', 'a', '2'), isOwn('k', 'a', '1', true)]).toEqual([true, false, false]);
    expect([isOwn('k', 'b', '9', true), isOwn('other', 'a', '1')]).toEqual([true, false]);
  });

  it('forgets a key when everything was observed and a run begins, and keeps what is still to come', () => {
    const writes = new OwnWrites();
    const [observed, pending] = [write('a', '1'), write('b', '2')];
    for (const each of [observed, pending]) writes.record('k', each);
    writes.settle('k', observed);
    writes.forget('k');
    expect(writes.isOwn('k', { uid: 'a', resourceVersion: '1', isDeleted: false })).toBe(false);
    expect([writes.unobservedKeys, versionsOf(writes, 'k')]).toEqual([['k'], [['2']]]);
    writes.settle('k', pending);
    writes.forget('k');
    expect([writes.size, writes.unobservedKeys]).toEqual([0, []]);
  });
});

describe('triggers that come from own writes', () => {
  const reason = reasonText({ type: 'requeue' });
  const run = (own: OwnTriggers, key: string, ends: () => void): void => {
    own.happened({ type: 'started', key, attempt: 1, priority: 0, reasons: [], waited: 0 });
    ends();
    own.happened({ type: 'succeeded', key, attempt: 1, result: undefined, took: 0, requeueAt: undefined });
    own.freed(key);
  };

  it('remember no key whose last run has written nothing, and the last thousand of the others', () => {
    const writes = new OwnWrites();
    const own = new OwnTriggers(writes);
    for (let key = 0; key < 3_000; key++) {
      run(own, `k${key}`, () => {
        if (key % 2 > 0) return;
        const each = write(`u${key}`, '1');
        writes.record(`k${key}`, each);
        writes.settle(`k${key}`, each);
      });
    }
    expect([own.size, writes.size]).toEqual([1_000, 1_000]);
    for (let key = 0; key < 3_000; key++) run(own, `k${key}`, () => undefined);
    expect([own.size, writes.size]).toEqual([0, 0]);
  });

  it('are passed on where a running key is triggered more often than its own writes explain', () => {
    const own = new OwnTriggers(new OwnWrites());
    own.happened({ type: 'started', key: 'k', attempt: 1, priority: 0, reasons: [], waited: 0 });
    const trigger = (version: number): Trigger => ({
      key: 'k',
      reason,
      version: { uid: 'a', resourceVersion: String(version), isDeleted: false },
    });
    const passed = Array.from({ length: 65 }, (_, version) => own.take(trigger(version)).length);
    expect(passed.filter((count) => count > 0)).toEqual([65]);
  });
});
