import {
  configMaps,
  fromEvents,
  informer,
  informerRegistry,
  StatusError,
  type ConfigMap,
  type InformerRegistry,
  isRxInformersError,
  type listWatch,
} from 'rx-informers';
import { sharedListWatch, sharedRegistry } from 'rx-informers/shared-worker';
import { watchEvent } from 'rx-informers/store';
import { aConfigMap, aNode, serverFaults } from 'rx-informers/testing';
import { errorWith } from '../support/error-with.js';
import { testChannel } from './support/ports.js';
import { loadListWatch, scene, textOf, type Scene } from './support/scene.js';

const config = (name: string, text = ''): ConfigMap => aConfigMap({ name, data: { text } });

function withObjects(made: Scene, count: number, size = 1): Scene {
  made.server.apply(Array.from({ length: count }, (_, index) => config(`o${index}`, 'x'.repeat(size))));
  return made;
}

const watches = ({ requests }: Scene): readonly string[] => requests.filter((request) => request.startsWith('watch'));
const partsSent = (page: ReturnType<Scene['page']>): number =>
  page.channel.worker.sent.filter(({ type }) => type === 'part').length;

beforeAll(loadListWatch);

describe('informers over a shared worker', () => {
  it('have one list and one watch for all pages with the same request', () => {
    const made = withObjects(scene(), 3);
    const pages = Array.from({ length: 10 }, () => made.page().follow({ labelSelector: 'a=b,c!=d' }));
    const other = made.page().follow({ labelSelector: 'c!=d,a=b' });
    made.clock.advance(100);
    expect([...pages, other].every(({ informer }) => informer.hasSynced)).toBe(true);
    expect(made.requests).toHaveLength(2);
    expect(made.worker.pages).toBe(11);
    expect(made.worker.informers).toBe(1);
  });

  it('have another watch for another namespace, selector, or for managed fields', () => {
    const made = withObjects(scene(), 3);
    const page = made.page();
    const [all] = [
      page.follow(),
      page.follow({ namespace: 'default' }),
      page.follow({ labelSelector: 'a=b' }),
      page.follow({ fieldSelector: 'metadata.name=o1' }),
      page.follow({ transform: (object) => object }),
    ];
    made.clock.advance(100);
    expect(watches(made)).toHaveLength(5);
    expect(textOf(all.informer.list())).toBe(textOf(made.server.objects.list(configMaps)));
  });

  it.each<[string, (made: Scene) => InformerRegistry]>([
    ['informerRegistry', (made) => informerRegistry(made.server.client, { listWatch: made.page().shared.listWatch })],
    ['sharedRegistry', (made) => sharedRegistry(made.server.client, made.page().shared)],
  ])('are created by %s from an ordinary request', (_, registryOf) => {
    const made = withObjects(scene(), 3);
    const registry = registryOf(made);
    const indexers = { text: ({ data }: ConfigMap) => data?.['text'] ?? '' };
    const objects = registry.informer(configMaps, { indexers });
    registry.start();
    made.clock.advance(100);
    expect(objects.byIndex('text', 'x')).toHaveLength(3);
    expect(objects.resource).toBe(configMaps);
    expect(made.worker.informers).toBe(1);
  });

  it('receive the first content in parts, and show it once it is complete (G3)', () => {
    const made = withObjects(scene(), 20, 100_000);
    const page = made.page({ isBusy: true });
    const { informer, commits, states } = page.follow();
    made.clock.advance(100);
    expect(informer.hasSynced).toBe(false);
    expect(partsSent(page)).toBeGreaterThan(2);
    page.channel.release();
    expect(commits).toEqual(['initial 20']);
    expect(informer.status.state).toBe('watching');
    expect(states).toContain('listing');
    const longest = Math.max(...page.channel.worker.sent.map(({ text = '' }) => text.length));
    expect(longest).toBeLessThan(250_000);
  });

  it('receive one batch for each commit, with only the fields that differ', () => {
    const made = withObjects(scene(), 3, 5_000);
    const page = made.page();
    const { informer, commits } = page.follow();
    made.clock.advance(100);
    const before = informer.get('default/o1');
    made.server.apply({ ...aConfigMap({ name: 'o1', labels: { changed: 'yes' } }), data: before!.data });
    const { text = '' } = page.channel.worker.sent.filter(({ type }) => type === 'part').pop()!;
    expect(text).toContain('changed');
    expect(text).not.toContain('xxxx');
    expect(informer.get('default/o1')?.metadata.labels).toEqual({ changed: 'yes' });
    expect(informer.get('default/o1')?.data).toBe(before?.data);
    expect(commits).toEqual(['initial 3', 'watch 1']);
    expect(textOf(informer.list())).toBe(textOf(made.server.objects.list(configMaps)));
  });

  it('remove fields that an object no longer has', () => {
    const made = withObjects(scene(), 1);
    const { informer } = made.page().follow();
    made.clock.advance(100);
    made.server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'o0', namespace: 'default' } });
    expect(informer.get('default/o0')?.data).toBeUndefined();
    expect(Object.keys(informer.get('default/o0')!)).not.toContain('data');
  });

  it('contain frozen copies, and the resourceVersion of the worker', () => {
    const made = withObjects(scene(), 1);
    const { informer } = made.page().follow();
    made.clock.advance(100);
    expect(Object.isFrozen(informer.get('default/o0'))).toBe(true);
    made.server.apply(config('o0', 'new'));
    expect(Object.isFrozen(informer.get('default/o0')?.data)).toBe(true);
    expect(informer.snapshot.resourceVersion).toBe(made.server.resourceVersion);
  });

  it('receive a relist of the worker as one relist, with tombstones for deleted objects (G7)', () => {
    const made = withObjects(scene(), 4);
    const { informer, commits } = made.page().follow();
    made.clock.advance(100);
    const unchanged = informer.get('default/o1');
    const deletions: boolean[] = [];
    informer.changes$.subscribe(({ changes }) => {
      for (const change of changes) if (change.type === 'deleted') deletions.push(change.finalStateUnknown);
    });
    made.server.remove(configMaps, 'o3', 'default');
    made.server.faults.next('watch', serverFaults.refuse());
    made.server.restart();
    made.server.remove(configMaps, 'o2', 'default');
    made.server.apply(config('o0', 'new'));
    made.server.compact();
    made.clock.advance(60_000);
    expect(commits).toEqual(['initial 4', 'watch 1', 'relist 2']);
    expect(deletions).toEqual([false, true]);
    expect(informer.get('default/o1')).toBe(unchanged);
    expect(textOf(informer.list())).toBe(textOf(made.server.objects.list(configMaps)));
  });

  it('receive a recreated object as a deletion and an addition (G7)', () => {
    const made = withObjects(scene(), 1);
    const page = made.page();
    const { informer, commits } = page.follow();
    made.clock.advance(100);
    const { uid } = informer.get('default/o0')!.metadata;
    page.channel.hold();
    made.server.remove(configMaps, 'o0', 'default');
    made.server.apply(config('o0'));
    page.channel.release();
    expect(informer.get('default/o0')?.metadata.uid).not.toBe(uid);
    expect(commits[0]).toBe('initial 1');
    expect(textOf(informer.list())).toBe(textOf(made.server.objects.list(configMaps)));
  });

  it('report errors of the watch with their class, code and fields, and the state of the source', () => {
    const made = scene({ user: { name: 'reader', allow: [] } });
    const { errors, informer } = made.page().follow();
    made.clock.advance(100);
    const [error] = errors;
    expect(error).toBeInstanceOf(StatusError);
    expect(error).toMatchObject({ code: 'RXI_STATUS', statusCode: 403, reason: 'Forbidden', expected: false });
    expect(informer.status).toMatchObject({ state: 'forbidden', attempt: 1 });
    expect('cause' in informer.status && informer.status.cause).toBe(error);
  });

  it('transform objects in the page, with their managed fields, and list the others if that fails', () => {
    const made = scene();
    for (const name of ['o0', 'o1', 'o2']) {
      const path = `/api/v1/namespaces/default/configmaps/${name}`;
      const headers = { 'content-type': 'application/apply-patch+yaml' };
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
      made.server.client.exchange({ method: 'PATCH', path, headers, body, query: { fieldManager: 'me' } }).subscribe();
    }
    const { informer, errors } = made.page().follow({
      transform: (object) => {
        if (object.metadata.name === 'o1') throw new Error('not this one');
        return { ...object, data: { text: `managed ${String(object.metadata.managedFields !== undefined)}` } };
      },
    });
    made.clock.advance(100);
    expect(informer.list().map(({ metadata, data }) => `${metadata.name}: ${data?.['text']}`)).toEqual([
      'o0: managed true',
      'o2: managed true',
    ]);
    expect(errors.map(({ name, message }) => `${name}: ${message}`)).toEqual([
      'RXI_TRANSFORM: transform failed for default/o1: not this one',
    ]);
  });

  it('reconnect the watch of the worker by recheck, and report when the API server last sent data (G6)', () => {
    const made = withObjects(scene(), 1);
    const { informer } = made.page().follow();
    made.clock.advance(100_000);
    made.server.apply(aNode({ name: 'n1' }));
    made.clock.advance(30_000);
    const now = made.clock.now();
    // The server sends a bookmark each minute, and the worker says so within two seconds.
    expect(informer.lastHeardAt).toBeGreaterThan(now - 30_000);
    expect(informer.lastMessageAt).toBeGreaterThan(now - 30_000);
    const before = watches(made).length;
    informer.recheck();
    made.clock.advance(1_000);
    expect(watches(made).length).toBe(before + 1);
    expect(informer.hasSynced).toBe(true);
  });
});

describe('a slow page of a shared worker', () => {
  it('receives every step of a few changes, in one batch for all that arrived while it was busy', () => {
    const made = withObjects(scene(), 3);
    const page = made.page();
    const { informer, commits } = page.follow();
    made.clock.advance(100);
    page.channel.hold();
    for (const text of ['1', '2', '3', '4', '5']) made.server.apply(config('o0', text));
    page.channel.release();
    expect(commits).toEqual(['initial 3', 'watch 1', 'watch 4']);
    expect(informer.get('default/o0')?.data).toEqual({ text: '5' });
  });

  it('is sent at most its window of changes, and later ones are merged meanwhile (G11)', () => {
    const made = withObjects(scene(), 10, 10_000);
    const slow = made.page();
    const fast = made.page();
    const late = slow.follow();
    const current = fast.follow();
    made.clock.advance(100);
    slow.channel.hold();
    for (let round = 0; round < 500; round++) made.server.apply(config(`o${round % 10}`, `${round}`.padEnd(10_000)));
    const size = slow.channel.worker.sent.reduce((sum, { text = '' }) => sum + text.length, 0);
    expect(size).toBeLessThan(1_000_000);
    expect(current.commits).toHaveLength(501);
    slow.channel.release();
    made.clock.advance(100);
    expect(late.commits.length).toBeLessThan(100);
    expect(textOf(late.informer.list())).toBe(textOf(made.server.objects.list(configMaps)));
    expect(textOf(current.informer.list())).toBe(textOf(made.server.objects.list(configMaps)));
  });

  it('receives the first content, and then the changes meanwhile', () => {
    const made = withObjects(scene(), 20, 100_000);
    const page = made.page({ isBusy: true });
    const { informer, commits } = page.follow();
    made.clock.advance(100);
    made.server.apply(config('o19', 'new'));
    made.server.remove(configMaps, 'o0', 'default');
    page.channel.release();
    expect(commits).toEqual(['initial 20', 'watch 2']);
    expect(textOf(informer.list())).toBe(textOf(made.server.objects.list(configMaps)));
  });
});

describe('a page that leaves a shared worker', () => {
  it('releases its informers, which stop after a while; nothing is left on either side (G8)', () => {
    const made = withObjects(scene(), 3);
    const page = made.page();
    const followed = page.follow();
    made.clock.advance(100);
    followed.stop();
    expect(made.worker.pages).toBe(0);
    expect(made.worker.informers).toBe(1);
    expect(page.channel.page.isClosed).toBe(true);
    expect(page.channel.worker.isClosed).toBe(true);
    made.clock.advance(5_000);
    expect(made.worker.informers).toBe(0);
    expect(made.clock.timers).toBe(0);
    expect(page.connections.map(({ state }) => state)).toEqual(['idle', 'connecting', 'shared', 'idle']);
  });

  it('and returns within five seconds finds the objects in the worker', () => {
    const made = withObjects(scene(), 3);
    made.page().follow().stop();
    const first = made.page().follow();
    made.clock.advance(100);
    first.stop();
    made.clock.advance(4_000);
    const second = made.page().follow();
    expect(second.informer.hasSynced).toBe(true);
    expect(watches(made)).toHaveLength(1);
  });

  it('in the middle of the first content causes no further cost', () => {
    const made = withObjects(scene(), 50, 100_000);
    const page = made.page({ isBusy: true });
    const followed = page.follow();
    made.clock.advance(100);
    followed.stop();
    const sent = page.channel.worker.sent.length;
    page.channel.release();
    made.clock.advance(10_000);
    expect(page.channel.worker.sent.length).toBe(sent);
    expect([made.worker.pages, made.worker.informers, made.clock.timers]).toEqual([0, 0, 0]);
  });

  it('without a message is released within 20 seconds', () => {
    const made = withObjects(scene(), 3);
    const gone = testChannel();
    made.worker.accept(gone.worker);
    gone.page.postMessage({ type: 'hello', protocol: 3, version: '', identity: '' });
    const stays = made.page().follow();
    made.clock.advance(100);
    expect(made.worker.pages).toBe(2);
    made.clock.advance(20_000);
    expect(made.worker.pages).toBe(1);
    made.server.apply(config('o0', 'new'));
    expect(stays.commits).toEqual(['initial 3', 'watch 1']);
  });
});

describe('a frozen page of a shared worker', () => {
  it('in the back/forward cache is released before, and connects again when it is shown', () => {
    const window = new EventTarget();
    const names = ['addEventListener', 'removeEventListener'] as const;
    for (const name of names) Object.assign(globalThis, { [name]: window[name].bind(window) });
    try {
      const made = withObjects(scene(), 3);
      const page = made.page();
      const { informer, errors } = page.follow();
      made.clock.advance(100);
      window.dispatchEvent(new Event('pagehide'));
      expect(made.worker.pages).toBe(0);
      made.clock.advance(60_000);
      expect(made.worker.informers).toBe(0);
      made.server.apply(config('o0', 'new'));
      window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
      made.clock.advance(100);
      expect(errors).toEqual([]);
      expect(textOf(informer.list())).toBe(textOf(made.server.objects.list(configMaps)));
      informer.stop();
      made.clock.advance(10_000);
      expect(made.clock.timers).toBe(0);
    } finally {
      for (const name of names) Reflect.deleteProperty(globalThis, name);
    }
  });

  it('connects again when it resumes, and has every change', () => {
    const made = withObjects(scene(), 3);
    const page = made.page();
    const { informer, errors } = page.follow();
    made.clock.advance(100);
    const frozen = page.channel;
    frozen.hold();
    made.clock.block(60_000);
    // Only the worker's timer runs: the page does not receive its pings.
    made.clock.advance(15_000);
    made.server.apply(config('o0', 'new'));
    frozen.release();
    made.clock.advance(30_000);
    expect(informer.hasSynced).toBe(true);
    expect(textOf(informer.list())).toBe(textOf(made.server.objects.list(configMaps)));
    expect(made.worker.pages).toBe(1);
    expect(errors.filter((error) => !isRxInformersError(error, 'RXI_SHARED_WORKER'))).toEqual([]);
  });
});

describe('a shared worker that fails', () => {
  it('is started once more, and its objects stay meanwhile', () => {
    const made = withObjects(scene(), 3);
    const page = made.page();
    const { informer, errors, states } = page.follow();
    made.clock.advance(100);
    const known = informer.get('default/o1');
    made.crash();
    made.server.apply(config('o0', 'new'));
    made.clock.advance(21_000);
    expect(errors.map((error) => isRxInformersError(error, 'RXI_SHARED_WORKER') && error.problem)).toEqual(['lost']);
    expect(states).toContain('reconnecting');
    expect(page.shared.connection).toEqual({ state: 'shared' });
    expect(informer.get('default/o1')).toBe(known);
    expect(textOf(informer.list())).toBe(textOf(made.server.objects.list(configMaps)));
    expect(made.worker.pages).toBe(1);
  });

  it('twice within a minute is replaced by a connection of the page', () => {
    const made = withObjects(scene(), 3);
    const page = made.page();
    const { informer, errors } = page.follow();
    made.clock.advance(100);
    made.crash();
    made.clock.advance(21_000);
    made.crash();
    made.clock.advance(21_000);
    expect(errors.map((error) => isRxInformersError(error, 'RXI_SHARED_WORKER') && error.problem)).toEqual([
      'lost',
      'lost',
    ]);
    expect(page.shared.connection).toMatchObject({ state: 'own', cause: { problem: 'lost', expected: false } });
    made.server.apply(config('o0', 'new'));
    expect(informer.get('default/o0')?.data).toEqual({ text: 'new' });
    expect(made.worker.pages).toBe(0);
  });

  it('to respond is not used: the page reads over its own connection', () => {
    const made = withObjects(scene(), 3);
    const page = made.page();
    made.worker.accept = () => undefined;
    const { informer, errors } = page.follow();
    made.clock.advance(11_000);
    expect(errors[0]).toMatchObject({ code: 'RXI_SHARED_WORKER', problem: 'failed' });
    expect(informer.list()).toHaveLength(3);
  });

  it('to start is not used: the page reads over its own connection, and reports why', () => {
    const made = withObjects(scene({ refusal: new ReferenceError('SharedWorker is not defined') }), 3);
    const page = made.page();
    const { informer, errors } = page.follow();
    made.clock.advance(100);
    expect(informer.list()).toHaveLength(3);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ problem: 'unavailable', expected: true });
    expect(page.shared.connection).toMatchObject({ state: 'own', cause: { detail: 'SharedWorker is not defined' } });
  });

  it('to start is not used: the page reads with the `ownListWatch` of its options', () => {
    const list = [{ metadata: { name: 'own', namespace: 'default' } }];
    const ownListWatch = (() => fromEvents([watchEvent.listed(list)])) as unknown as typeof listWatch;
    const connect = (): never => {
      throw new Error('this browser has no shared workers');
    };
    const { clock, server } = scene();
    const shared = sharedListWatch(connect, { identity: '', scheduler: clock, ownListWatch });
    const followed = informer(shared.listWatch(server.client, configMaps), { onUnobservedError: () => undefined });
    followed.connect();
    clock.advance(100);
    expect(followed.keys()).toEqual(['default/own']);
    followed.stop();
  });

  it('for invalid options is not started: they throw at once', () => {
    const page = scene().page();
    expect(() => page.follow({ watchTimeout: [0, 0] })).toThrow(errorWith('RXI_INVALID_OPTION'));
  });

  it('to have the same build is not used', () => {
    const made = withObjects(scene({ version: 'before' }), 3);
    const old = made.page();
    const young = made.page({ version: 'after' });
    const followed = [old.follow(), young.follow()];
    made.clock.advance(100);
    expect(followed.map(({ informer }) => informer.list().length)).toEqual([3, 3]);
    expect(old.shared.connection.state).toBe('shared');
    expect(young.shared.connection).toMatchObject({
      state: 'own',
      cause: { problem: 'other-version', expected: true },
    });
    expect(followed[1]?.errors[0]?.message).toContain('"before"');
  });
});

describe('the informers in a shared worker', () => {
  it('recover from faults of the API server, in all pages', () => {
    const made = withObjects(scene(), 3);
    const followed = [made.page().follow(), made.page().follow()];
    made.clock.advance(100);
    made.server.faults.next('watch', serverFaults.respond(500));
    made.server.restart();
    made.server.apply(config('o0', 'new'));
    made.clock.advance(60_000);
    for (const { informer, errors } of followed) {
      expect(textOf(informer.list())).toBe(textOf(made.server.objects.list(configMaps)));
      expect(errors.some((error) => error instanceof StatusError && error.statusCode === 500)).toBe(true);
    }
  });
});
