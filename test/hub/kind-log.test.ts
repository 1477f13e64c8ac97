import { fromEvents, informer, type ConfigMap } from 'rx-informers';
import { watchEvent, type WatchEvent } from 'rx-informers/store';
import { aConfigMap } from 'rx-informers/testing';
import { Subject } from 'rxjs';
import { KindLog } from '../../src/hub/kind-log.js';

const { listed, modified } = watchEvent;
const config = (name: string, resourceVersion: number): ConfigMap => aConfigMap({ name, resourceVersion });

describe('the log of a kind', () => {
  it('knows the positions since the last list, and none of a time before', () => {
    const events = new Subject<WatchEvent<ConfigMap>>();
    const log = new KindLog(informer(fromEvents(events)), 'run');
    const following = log.open();
    events.next(listed([config('a', 4)], '5'));
    const first = { epoch: log.epoch, resourceVersion: '5' };
    events.next(modified(config('a', 6)));
    const second = { epoch: log.epoch, resourceVersion: '6' };
    expect([log.knows(first), log.knows(second)]).toEqual([true, true]);
    expect(log.knows({ ...first, resourceVersion: '4' })).toBe(false);
    expect(log.knows({ ...first, epoch: 'other' })).toBe(false);
    // The server was restored: the version is the same, and the content is not.
    events.next(listed([config('b', 3)], '6'));
    expect([log.knows(first), log.knows(second)]).toEqual([false, false]);
    following.unsubscribe();
  });
});
