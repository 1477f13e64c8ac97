import type { Delta } from 'rx-informers/store';
import type { Listener } from '../../src/collections/listeners.js';
import { a1, a2, a3, b1, byNode, type Pod } from '../fixtures/pods.js';
import { FedLog } from '../informer/support/fed-log.js';

const aLog = (): FedLog<Pod> => new FedLog<Pod>({ node: byNode });
const everything = { type: 'all' } as const;
const upsert = (object: Pod): Delta<Pod> => ({ type: 'Added', key: object.metadata.name, object });

/** Records the keys of each announcement, and the completion. */
function aListener(received: string[], who = ''): Listener<Pod> {
  return {
    announce: ({ commit }, keys) => received.push(`${who}${commit.snapshot.version}:${keys.join('')}`),
    complete: () => received.push(`${who}complete`),
  };
}

describe('CommitLog', () => {
  it('announces a commit made during a round after that round', () => {
    const log = aLog();
    const received: string[] = [];
    log.listeners.add(everything, {
      announce: ({ commit }) => {
        if (commit.snapshot.version === 1) log.apply([upsert(b1)]);
        received.push(`first ${commit.snapshot.version} of ${log.latest.version}`);
      },
      complete: () => undefined,
    });
    log.listeners.add(everything, aListener(received, 'second '));
    log.apply([upsert(a1)]);
    expect(received).toEqual(['first 1 of 2', 'second 1:', 'first 2 of 2', 'second 2:b']);
  });

  it('does not announce changes without content: bookmarks, failures, existing objects', () => {
    const log = aLog();
    const received: string[] = [];
    log.apply([upsert(a1)]);
    log.listeners.add(everything, aListener(received));
    log.apply([{ type: 'Bookmark', resourceVersion: '9' }]);
    log.apply([upsert(a1)]);
    log.apply([]);
    expect(received).toEqual([]);
    expect(log.latest.resourceVersion).not.toBe('');
  });

  it('forgets pending announcements when it is reset', () => {
    const log = aLog();
    const received: string[] = [];
    log.listeners.add(everything, {
      announce: () => {
        log.apply([upsert(b1)]);
        log.reset();
      },
      complete: () => undefined,
    });
    log.listeners.add(everything, aListener(received));
    log.apply([upsert(a1)]);
    expect(received).toEqual(['1:']);
    expect([log.latest.version, log.latest.size]).toEqual([0, 0]);
  });

  it('completes after everything emitted before, and at once for later subscribers', () => {
    const log = aLog();
    const received: string[] = [];
    log.listeners.add(everything, {
      announce: () => log.complete(),
      complete: () => received.push('first complete'),
    });
    log.listeners.add(everything, aListener(received, 'second '));
    log.apply([upsert(a1)]);
    expect(received).toEqual(['second 1:', 'first complete', 'second complete']);
  });

  it('continues after a new subscriber throws inside its first value', () => {
    const log = aLog();
    const received: string[] = [];
    log.listeners.add(everything, aListener(received));
    expect(() =>
      log.startSubscriber(() => {
        log.apply([upsert(a1)]);
        throw new Error('rude');
      }),
    ).toThrow('rude');
    expect(received).toEqual(['1:']);
  });

  it('S11: adds new indexes to versions that wait to be announced', () => {
    const log = aLog();
    const buckets: (readonly string[])[] = [];
    log.listeners.add(everything, {
      announce: ({ commit }) => {
        if (commit.snapshot.version > 1) {
          buckets.push(commit.snapshot.indexKeys('name', 'b'));
          return;
        }
        log.apply([upsert(b1)]);
        log.addIndexers({ name: ({ metadata }) => metadata.name }, () => undefined);
      },
      complete: () => undefined,
    });
    log.apply([upsert(a1)]);
    expect(buckets).toEqual([['b']]);
  });
});

describe('Listeners', () => {
  it('G10: notify a key and a bucket of their own changes only, once for each commit', () => {
    const log = aLog();
    const received: string[] = [];
    log.apply([upsert(a1)]);
    log.listeners.add({ type: 'keys', keys: ['a'] }, aListener(received, 'key a '));
    log.listeners.add({ type: 'keys', keys: ['b'] }, aListener(received, 'key b '));
    log.listeners.add({ type: 'buckets', index: 'node', values: ['n1', 'n2'] }, aListener(received, 'n1 or n2 '));
    log.listeners.add({ type: 'buckets', index: 'node', values: ['n2'] }, aListener(received, 'n2 '));
    log.listeners.add({ type: 'buckets', index: 'node', values: [] }, aListener(received, 'no bucket '));
    log.apply([upsert(a2)]);
    expect(received.splice(0)).toEqual(['key a 2:a', 'n1 or n2 2:a']);
    log.apply([upsert(a3), upsert(b1)]);
    expect(received.sort()).toEqual(['key a 3:a', 'key b 3:b', 'n1 or n2 3:ab', 'n2 3:ab']);
  });

  it('listeners are notified of a commit, and of completion', () => {
    const log = aLog();
    const received: string[] = [];
    log.listeners.add({ type: 'buckets', index: 'node', values: [] }, aListener(received, 'no bucket '));
    log.listeners.add({ type: 'keys', keys: ['z'] }, aListener(received, 'key z '));
    log.apply([upsert(a1)]);
    log.complete();
    expect(received).toEqual(['no bucket 1:', 'key z 1:', 'no bucket complete', 'key z complete']);
  });

  it('a listener added in the middle of a round is not called in that round', () => {
    const log = aLog();
    const received: string[] = [];
    log.listeners.add(everything, {
      announce: () => log.listeners.add(everything, aListener(received)),
      complete: () => undefined,
    });
    log.apply([upsert(a1)]);
    expect(received).toEqual([]);
  });

  it('listeners that were removed are not retained', () => {
    const { listeners } = aLog();
    const leave = [
      listeners.add(everything, aListener([])),
      listeners.add({ type: 'keys', keys: ['a'] }, aListener([])),
      listeners.add({ type: 'buckets', index: 'node', values: ['n1', 'n2'] }, aListener([])),
      listeners.add({ type: 'buckets', index: 'node', values: [] }, aListener([])),
    ];
    expect(listeners.all).toHaveLength(4);
    leave.forEach((each) => each());
    leave.forEach((each) => each());
    expect(listeners.all).toEqual([]);
  });
});
