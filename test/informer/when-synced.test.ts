import { createIndexer, informer } from 'rx-informers';
import { type WatchEvent, metaNamespaceKey, watchEvent } from 'rx-informers/store';
import { concat, defer, NEVER, of, Subject, throwError } from 'rxjs';
import { a1, type Pod } from '../fixtures/pods.js';
import { expectOutput } from '../support/unexpected-output.js';

const { listed } = watchEvent;

/** A signal that counts its listeners. */
function aSignal(): { readonly controller: AbortController; readonly listeners: () => number } {
  const controller = new AbortController();
  const { signal } = controller;
  let count = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...input: Parameters<typeof add>) => {
    count++;
    add(...input);
  };
  signal.removeEventListener = (...input: Parameters<typeof remove>) => {
    count--;
    remove(...input);
  };
  return { controller, listeners: () => count };
}

describe('whenSynced', () => {
  it('resolves with the first list, and leaves no listener on the signal', async () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer(source);
    const { controller, listeners } = aSignal();
    pods.connect();
    const synced = pods.whenSynced({ signal: controller.signal });
    expect(listeners()).toBe(1);
    source.next(listed([a1]));
    await synced;
    expect(listeners()).toBe(0);
  });

  it('rejects with the reason of the signal, and leaves no listener on it', async () => {
    const pods = informer<Pod>(NEVER);
    const { controller, listeners } = aSignal();
    pods.connect();
    const synced = pods.whenSynced({ signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(synced).rejects.toThrow('enough');
    expect(listeners()).toBe(0);
    expect(pods.isRunning).toBe(true);
  });

  it('rejects at once if the signal is already aborted', async () => {
    const pods = informer<Pod>(NEVER);
    pods.connect();
    await expect(pods.whenSynced({ signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');
    await expect(
      createIndexer(metaNamespaceKey).whenSynced({ signal: AbortSignal.abort(new Error('before')) }),
    ).rejects.toThrow('before');
  });

  it('I14: resolves if the informer has synced, aborted or not', async () => {
    const indexer = createIndexer<Pod>(metaNamespaceKey);
    indexer.replace([]);
    await expect(indexer.whenSynced({ signal: AbortSignal.abort() })).resolves.toBeUndefined();
    const listedPods = informer(of(listed([a1])));
    listedPods.connect();
    await expect(listedPods.whenSynced({ signal: AbortSignal.abort() })).resolves.toBeUndefined();
  });

  it('rejects if nothing keeps the informer running, because it would wait forever', async () => {
    await expect(informer<Pod>(NEVER).whenSynced()).rejects.toMatchObject({
      code: 'RXI_NOT_RUNNING',
      when: 'never-started',
    });
  });

  it.each([
    ['stop() is called', (pods: { stop(): void }) => pods.stop()],
    ['the last subscriber leaves', (_pods: unknown, connection: { unsubscribe(): void }) => connection.unsubscribe()],
    ['the source completes', (_pods: unknown, _connection: unknown, source: { complete(): void }) => source.complete()],
  ])('rejects if %s before the informer has synced', async (_when, act) => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer(source, { linger: 1 });
    const { controller, listeners } = aSignal();
    const connection = pods.connect();
    const synced = pods.whenSynced({ signal: controller.signal });
    act(pods, connection, source);
    await expect(synced).rejects.toMatchObject({ code: 'RXI_NOT_RUNNING', when: 'stopped-before-synced' });
    expect(listeners()).toBe(0);
  });

  it('continues to wait while the source fails', async () => {
    expectOutput(/RXI_UNEXPECTED_SOURCE.*: down/);
    let attempts = 0;
    const pods = informer<Pod>(
      defer(() => (++attempts < 3 ? throwError(() => new Error('down')) : concat(of(listed([a1])), NEVER))),
      { relistBackoff: () => 0 },
    );
    pods.connect();
    await pods.whenSynced();
    expect([attempts, pods.list()]).toEqual([3, [a1]]);
    pods.stop();
  });
});
