import { createIndexer, type Pod } from 'rx-informers';
import { metaNamespaceKey } from 'rx-informers/store';
import { aPod } from 'rx-informers/testing';
import { filter, firstValueFrom } from 'rxjs';
import { shownSecond, shownTime } from '../../page/history/shown-time.js';
import { podEntries, type Trouble } from '../../page/pods/pod-entries.js';
import { entriesAt, type Entry } from '../../page/timeline/timeline-log.js';

const now = Date.now();
const second = 1000;
const minute = 60 * second;
const timestamp = (time: number): string => new Date(time).toISOString();

const created = (pod: Pod, time: number): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, creationTimestamp: timestamp(time) },
});
const pending = created(aPod({ name: 'pending', phase: 'Pending' }), now - 2 * minute);
const restarted: Pod = {
  ...created(aPod({ name: 'restarted' }), now - 60 * minute),
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [
      {
        name: 'main',
        image: 'a',
        imageID: 'a',
        ready: true,
        restartCount: 1,
        state: { running: {} },
        lastState: { terminated: { exitCode: 1, finishedAt: timestamp(now - 9 * minute) } },
      },
    ],
  },
};

afterEach(() => {
  shownTime.moveTo(undefined);
});

describe('the page at a time in the past', () => {
  it('marks a pod as trouble if it was trouble at that time, and not by its state today', async () => {
    const pods = createIndexer((pod: Pod) => metaNamespaceKey(pod), {});
    pods.replace([pending, restarted]);
    const entries = podEntries(pods, shownSecond);
    const connection = entries.connect();
    const becomes = async (name: string, trouble: readonly Trouble[]): Promise<void> => {
      const is = entries.get$(`default/${name}`).pipe(filter((entry) => entry?.trouble.join() === trouble.join()));
      expect((await firstValueFrom(is))?.trouble).toEqual(trouble);
    };
    await becomes('pending', ['pending']);
    await becomes('restarted', ['restarts']);
    shownTime.moveTo(now - 61 * second);
    await becomes('pending', []);
    shownTime.moveTo(now - 59 * second);
    await becomes('pending', ['pending']);
    shownTime.moveTo(now + 61 * second);
    await becomes('restarted', []);
    shownTime.moveTo(now + 59 * second);
    await becomes('restarted', ['restarts']);
    shownTime.moveTo(now - 61 * second);
    await becomes('pending', []);
    shownTime.moveTo(undefined);
    await becomes('pending', ['pending']);
    connection.unsubscribe();
  });

  it('counts only the events up to that time in the timeline', () => {
    const object = (key: string) => ({ kind: 'Pod', resource: 'v1/pods', key });
    const burst: Entry = {
      sequence: 2,
      what: 'OOMKilled',
      detail: undefined,
      tone: 'trouble',
      group: 'shop/Deployment/web',
      pairs: [],
      since: 1000,
      time: 9000,
      count: 3,
      object: object('shop/c'),
      objects: [object('shop/c'), object('shop/b'), object('shop/a')],
    };
    const single: Entry = { ...burst, sequence: 1, since: 2000, time: 2000, count: 1, objects: [object('shop/x')] };
    expect(entriesAt([burst, single], 9000)).toEqual([burst, single]);
    const before = entriesAt([burst, single], 3000);
    expect(before.map(({ sequence, time, count, objects }) => [sequence, time, count, objects[0]?.key])).toEqual([
      [1, 2000, 1, 'shop/x'],
      [2, 1000, 1, 'shop/a'],
    ]);
    expect(entriesAt([burst, single], 500)).toEqual([]);
  });
});
