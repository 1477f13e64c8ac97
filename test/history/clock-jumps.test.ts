import { createIndexer, type ChangeSet } from 'rx-informers';
import { collectionHistory, movableTime } from 'rx-informers/history';
import { metaNamespaceKey } from 'rx-informers/store';
import { virtualClock } from 'rx-informers/testing';
import { aPod, type Pod } from '../fixtures/pods.js';
import { jumpingScheduler } from '../support/wall-clock.js';

/** One pod that changes every 100 ms, with a history of five seconds. */
function recordedPod() {
  const virtual = virtualClock({ now: 1_700_000_000_000 });
  const scheduler = jumpingScheduler(virtual);
  const pods = createIndexer<Pod>(metaNamespaceKey, {}, { scheduler });
  let version = 0;
  const write = (): void => {
    pods.update(aPod({ name: 'a', uid: 'u', version: ++version }));
  };
  write();
  const recorded = collectionHistory(pods, { for: 5_000, every: 50 });
  const run = (seconds: number): void => {
    for (let step = 0; step < seconds * 10; step++) {
      virtual.advance(100);
      write();
    }
  };
  const ago = (seconds: number): number => scheduler.now() - seconds * 1_000;
  const versionAt = (moment: number): number => Number(recorded.at(moment).get('a')?.metadata.resourceVersion);
  return { virtual, scheduler, recorded, run, ago, versionAt, newest: () => version };
}

const hour = 3_600_000;

describe.each([
  ['back', -hour],
  ['forward', hour],
])('a history while the clock of the machine is set %s', (_, jump) => {
  it('G9: at returns the state of a second ago', () => {
    const { scheduler, run, ago, versionAt, newest } = recordedPod();
    run(3);
    scheduler.jump(jump);
    expect(versionAt(ago(1))).toBe(newest() - 10);
    run(2);
    expect(versionAt(ago(1))).toBe(newest() - 10);
    expect(versionAt(ago(4))).toBe(newest() - 40);
  });

  it('G9: diff returns the changes since then', () => {
    const { scheduler, recorded, run, ago, newest } = recordedPod();
    run(3);
    scheduler.jump(jump);
    run(1);
    const { changes } = recorded.diff(ago(2), ago(0));
    expect(changes.map((change) => change.type === 'updated' && change.previous.metadata.resourceVersion)).toEqual([
      String(newest() - 20),
    ]);
  });

  it('G9: `for` and `every` are measured in elapsed time', () => {
    const { scheduler, recorded, run, ago } = recordedPod();
    run(3);
    scheduler.jump(jump);
    run(9);
    expect(recorded.versions).toHaveLength(51);
    expect(recorded.oldest?.time).toBe(ago(5));
    expect(recorded.newest?.time).toBe(ago(0));
  });

  it('G9: versions have times of the clock as it is set now, and at returns the version of its time', () => {
    const { scheduler, recorded, run, ago } = recordedPod();
    run(2);
    scheduler.jump(jump);
    run(1);
    const { versions } = recorded;
    expect(versions.map(({ time }) => time)).toEqual(versions.map((_each, index) => ago((30 - index) / 10)));
    for (const { version, time } of versions) expect(recorded.versionAt(time)?.version).toBe(version);
  });

  it('G9: a playback that is under way goes on at its speed', () => {
    const { virtual, scheduler, recorded, run, ago } = recordedPod();
    run(2);
    const seen: ChangeSet<Pod>[] = [];
    recorded.changes$({ from: ago(2), to: ago(0), speed: 2 }).subscribe((set) => seen.push(set));
    virtual.advance(500);
    scheduler.jump(jump);
    expect(seen).toHaveLength(11);
    virtual.advance(250);
    expect(seen).toHaveLength(16);
    virtual.advance(1_000);
    expect(seen).toHaveLength(21);
  });
});

describe('a view of a history', () => {
  it('G9: moves to a second ago after the clock was set back', () => {
    const { scheduler, recorded, run, ago, newest } = recordedPod();
    const time = movableTime();
    const view = recorded.view(time);
    view.connect();
    run(2);
    scheduler.jump(-hour);
    time.moveTo(ago(1));
    expect(view.get('a')?.metadata.resourceVersion).toBe(String(newest() - 10));
  });
});
