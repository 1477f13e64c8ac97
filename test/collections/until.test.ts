import { createIndexer, informer, type Pod } from 'rx-informers';
import { metaNamespaceKey, type WatchEvent } from 'rx-informers/store';
import { aPod } from 'rx-informers/testing';
import { Subject } from 'rxjs';
import { errorWith } from '../support/error-with.js';
import { promisesSettled } from '../support/promises-settled.js';

const phase = (resourceVersion: number, value: 'Pending' | 'Running' | 'Failed'): Pod =>
  aPod({ name: 'a', phase: value, resourceVersion: String(resourceVersion) });

function running() {
  const source = new Subject<WatchEvent<Pod>>();
  const pods = informer(source, { linger: 0 });
  const list = (...items: readonly Pod[]): void => source.next({ type: 'LISTED', items, resourceVersion: '1' });
  return { source, pods, list };
}

const isRunning = (pod: Pod | undefined): boolean => pod?.status?.phase === 'Running';
const failureOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe('until', () => {
  it('resolves with the object when it meets the condition, and keeps the informer running meanwhile (G8)', async () => {
    const { source, pods, list } = running();
    const ready = pods.until('default/a', isRunning);
    expect(source.observed).toBe(true);
    list();
    source.next({ type: 'ADDED', object: phase(2, 'Pending') });
    source.next({ type: 'MODIFIED', object: phase(3, 'Running') });
    source.next({ type: 'MODIFIED', object: phase(4, 'Failed') });
    expect(await ready).toMatchObject({ metadata: { resourceVersion: '3' } });
    expect(source.observed).toBe(false);
  });

  it('resolves at once if the condition is already met', async () => {
    const pods = createIndexer<Pod>(metaNamespaceKey);
    pods.add(phase(1, 'Running'));
    expect(await pods.until('default/a', isRunning)).toBe(pods.get('default/a'));
  });

  it('calls the predicate with undefined while there is no object, so it can wait for a deletion', async () => {
    const pods = createIndexer<Pod>(metaNamespaceKey);
    pods.add(phase(1, 'Running'));
    const gone = pods.until('default/a', (pod) => pod === undefined);
    pods.delete('default/a');
    expect(await gone).toBeUndefined();
  });

  it('treats no object as missing before the first list', async () => {
    const { pods, list } = running();
    const gone = pods.until('default/b', (pod) => pod === undefined);
    const seen: unknown[] = [];
    void gone.then((value) => seen.push(value));
    await promisesSettled();
    expect(seen).toEqual([]);
    list();
    expect(await gone).toBeUndefined();
  });

  it('rejects with the reason of its signal, and unsubscribes (G8)', async () => {
    const { source, pods } = running();
    const controller = new AbortController();
    const failed = failureOf(pods.until('default/a', isRunning, { signal: controller.signal }));
    const reason = new Error('tired of waiting');
    controller.abort(reason);
    expect(await failed).toBe(reason);
    expect(source.observed).toBe(false);
  });

  it('rejects when the informer is stopped, and when its source completes', async () => {
    const stopped = running();
    const first = failureOf(stopped.pods.until('default/a', isRunning));
    stopped.pods.stop();
    expect(await first).toEqual(errorWith('RXI_NOT_RUNNING'));
    const completed = running();
    const second = failureOf(completed.pods.until('default/a', isRunning));
    completed.source.complete();
    expect(await second).toMatchObject({ code: 'RXI_NOT_RUNNING', when: 'stopped-before-met' });
  });

  it('rejects with the error of the predicate', async () => {
    const pods = createIndexer<Pod>(metaNamespaceKey);
    pods.add(phase(1, 'Running'));
    const mine = new Error('mine');
    const failed = pods.until('default/a', () => {
      throw mine;
    });
    expect(await failureOf(failed)).toBe(mine);
  });
});
