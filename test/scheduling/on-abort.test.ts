import { getEventListeners } from 'node:events';
import { configMaps, informer, type KubeClient, type Pod } from 'rx-informers';
import { resourceClient } from 'rx-informers/requests';
import type { WatchEvent } from 'rx-informers/store';
import { NEVER, Subject } from 'rxjs';
import { onAbort } from '../../src/scheduling/on-abort.js';

const silent: KubeClient = { exchange: () => NEVER };

describe('one AbortSignal', () => {
  it.each<[string, (signal: AbortSignal) => unknown]>([
    [
      'informers that have not synced',
      (signal) => {
        const podInformer = informer<Pod>(new Subject<WatchEvent<Pod>>());
        podInformer.connect();
        return podInformer.whenSynced({ signal });
      },
    ],
    ['requests', (signal) => resourceClient(silent, configMaps).get('web/a', { signal }).then(undefined)],
  ])(
    'is shared by twenty %s with one listener, because Node warns of a leak from the eleventh on',
    async (_what, wait) => {
      const controller = new AbortController();
      const waits = Array.from({ length: 20 }, () => Promise.resolve(wait(controller.signal)));
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);

      controller.abort(new Error('enough'));
      const outcomes = await Promise.allSettled(waits);
      expect(outcomes.map((outcome) => String((outcome as PromiseRejectedResult).reason))).toEqual(
        Array(20).fill('Error: enough'),
      );
    },
  );

  it('has no listener left when the last wait has ended, and has one again for the next wait', () => {
    const controller = new AbortController();
    const calls: string[] = [];
    const first = onAbort(controller.signal, () => calls.push('first'));
    const second = onAbort(controller.signal, () => calls.push('second'));
    first.unsubscribe();
    first.unsubscribe();
    second.unsubscribe();
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    const third = onAbort(controller.signal, () => {
      calls.push('third');
      fourth.unsubscribe();
    });
    const fourth = onAbort(controller.signal, () => calls.push('fourth'));
    controller.abort();
    third.unsubscribe();
    onAbort(controller.signal, () => calls.push('late'));

    expect(calls).toEqual(['third', 'late']);
  });
});
