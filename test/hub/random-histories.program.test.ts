import * as fc from 'fast-check';
import { configMaps, inNamespaces, type ConfigMap, type ListWatchOptions } from 'rx-informers';
import type { Viewer } from 'rx-informers/hub';
import { aConfigMap } from 'rx-informers/testing';
import { hubWithoutRbac, mayRead, scene, type Followed, type Page, type Scene } from './support/scene.js';

const histories = 25;

type Step =
  | {
      readonly type: 'write';
      readonly namespace: string;
      readonly name: number;
      readonly app: string;
      readonly size: number;
    }
  | { readonly type: 'remove' | 'replace'; readonly namespace: string; readonly name: number; readonly app: string }
  | { readonly type: 'grant'; readonly user: string; readonly namespaces: readonly string[] }
  | { readonly type: 'hold' | 'release' | 'cut' | 'leave' | 'join'; readonly viewer: number }
  | { readonly type: 'wait'; readonly time: number }
  | { readonly type: 'restart'; readonly compact: boolean }
  | { readonly type: 'restart the hub' };

/** No user ever has a right in the namespace `never`. */
const namespace = fc.constantFrom('a', 'b', 'c', 'never');
const name = fc.integer({ min: 0, max: 3 });
const app = fc.constantFrom('web', 'db');
const size = fc.constantFrom(1, 100, 90_000);
const viewer = fc.integer({ min: 0, max: 4 });
const user = fc.constantFrom('ada', 'bob');
const granted = fc.constantFrom<readonly string[]>([], ['a'], ['b'], ['a', 'b'], ['a', 'b', 'c'], ['']);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ type: fc.constant('write' as const), namespace, name, app, size }) },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constantFrom('remove' as const, 'replace' as const), namespace, name, app }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('grant' as const), user, namespaces: granted }) },
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constantFrom('hold', 'release', 'cut', 'cut', 'leave', 'join'), viewer }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('wait' as const), time: fc.constantFrom(10, 3_000, 40_000) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('restart' as const), compact: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('restart the hub' as const) }) },
);

/** A viewer, what it reads, and which objects that are. */
interface Reader {
  readonly user: string;
  readonly namespaces: readonly string[];
  readonly isSelected: (object: ConfigMap) => boolean;
  readonly page: Page;
  readonly options: ListWatchOptions<ConfigMap>;
  readonly problems: string[];
  followed: Followed | undefined;
  isHeld: boolean;
  /** The number of frames that were checked, over all sockets. */
  checked: number;
}

const isWeb = ({ metadata }: ConfigMap): boolean => metadata.labels?.['app'] === 'web';

function readersOf(made: Scene): readonly Reader[] {
  const reader = (viewer: Viewer, options: ListWatchOptions<ConfigMap>, namespaces: readonly string[]): Reader => ({
    user: 'token' in viewer ? viewer.token : viewer.user,
    namespaces,
    isSelected: options.labelSelector === undefined ? () => true : isWeb,
    page: made.page(viewer),
    options,
    problems: [],
    followed: undefined,
    isHeld: false,
    checked: 0,
  });
  return [
    reader({ token: 'ada' }, { namespace: 'a' }, ['a']),
    reader({ token: 'ada' }, { namespace: 'a', labelSelector: 'app=web' }, ['a']),
    reader({ user: 'ada' }, { namespace: inNamespaces(['b']) }, ['b']),
    reader({ user: 'bob' }, {}, ['']),
    reader({ token: 'bob' }, { labelSelector: 'app=web', namespace: 'b', transform: (object) => object }, ['b']),
  ];
}

function join(reader: Reader): void {
  if (reader.followed) return;
  reader.followed = reader.page.follow(reader.options);
  const replica = new Map<string, ConfigMap>();
  reader.followed.informer.changes$.subscribe(({ changes }) => {
    for (const change of changes) {
      const stored = replica.get(change.key);
      const isSound =
        change.type === 'added'
          ? !stored
          : change.type === 'deleted'
            ? stored !== undefined
            : stored === change.previous;
      if (!isSound) reader.problems.push(`${change.type} ${change.key}`);
      if (change.type === 'deleted') replica.delete(change.key);
      else replica.set(change.key, change.object);
    }
  });
}

/** The model: what each user may read now. */
class Rights {
  readonly #namespaces = new Map<string, readonly string[]>();

  constructor(private readonly made: Scene) {
    this.set('ada', ['a', 'b']);
    this.set('bob', ['']);
  }

  set(user: string, namespaces: readonly string[]): void {
    this.#namespaces.set(user, namespaces);
    const everywhere = { verbs: ['list', 'watch'], resources: ['configmaps'] };
    this.made.grant(user, namespaces.includes('') ? [everywhere] : mayRead(...namespaces));
  }

  has(user: string, namespace: string): boolean {
    const own = this.#namespaces.get(user) ?? [];
    return own.includes('') || own.includes(namespace);
  }
}

function play(made: Scene, readers: readonly Reader[], rights: Rights, next: Step, index: number): void {
  const { server, clock } = made;
  const write = (of: Extract<Step, { readonly app: string }>, padding = 0): void => {
    const text = `<${of.namespace}:${of.app}>${index}`.padEnd(padding);
    server.apply(aConfigMap({ namespace: of.namespace, name: `o${of.name}`, labels: { app: of.app }, data: { text } }));
  };
  switch (next.type) {
    case 'write':
      write(next, next.size);
      return;
    case 'replace':
    case 'remove':
      server.remove(configMaps, `o${next.name}`, next.namespace);
      if (next.type === 'replace') write(next);
      return;
    case 'grant':
      rights.set(next.user, next.namespaces);
      for (const namespace of ['a', 'b'])
        server.apply({
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: namespace, annotations: { index: String(index) } },
        });
      clock.advance(31_000);
      for (const reader of readers) reader.checked = framesOf(reader).length;
      return;
    case 'wait':
      clock.advance(next.time);
      return;
    case 'restart':
      server.restart({ compact: next.compact });
      return;
    case 'restart the hub':
      made.restartHub();
      return;
    default:
      connect(readers[next.viewer] as Reader, next.type);
  }
}

function connect(reader: Reader, type: 'join' | 'leave' | 'cut' | 'hold' | 'release'): void {
  switch (type) {
    case 'join':
      join(reader);
      return;
    case 'leave':
      reader.followed?.informer.stop();
      reader.followed = undefined;
      return;
    case 'cut':
      reader.page.sockets.at(-1)?.cut();
      reader.isHeld = false;
      return;
    case 'hold':
      reader.isHeld = reader.page.sockets.length > 0;
      reader.page.sockets.at(-1)?.hold();
      return;
    case 'release':
      release(reader);
  }
}

function release(reader: Reader): void {
  reader.isHeld = false;
  for (const socket of reader.page.sockets) socket.release();
}

const framesOf = ({ page }: Reader): readonly string[] => page.sockets.flatMap(({ hub }) => hub.sent);

/** Returns the frames with a marker that the viewer must not see. */
function leaks(reader: Reader, rights: Rights): readonly string[] {
  const frames = framesOf(reader).slice(reader.checked);
  reader.checked += frames.length;
  const isForbidden = (namespace: string, app: string): boolean =>
    !rights.has(reader.user, namespace) ||
    !(reader.namespaces.includes('') ? rights.has(reader.user, '') : reader.namespaces.includes(namespace)) ||
    (reader.options.labelSelector !== undefined && app !== 'web');
  return frames.filter((frame) =>
    [...frame.matchAll(/<(\w+):(\w+)>/g)].some(([, namespace = '', app = '']) => isForbidden(namespace, app)),
  );
}

function expected(made: Scene, reader: Reader, rights: Rights): readonly ConfigMap[] {
  const isReadable = ({ metadata }: ConfigMap): boolean =>
    reader.namespaces.some((each) => rights.has(reader.user, each) && (each === '' || each === metadata.namespace));
  return made.server.objects.list<ConfigMap>(configMaps).filter((each) => isReadable(each) && reader.isSelected(each));
}

const textOf = (objects: readonly ConfigMap[]): string =>
  objects
    .map(
      ({ metadata, data }) =>
        `${metadata.namespace}/${metadata.name}@${metadata.resourceVersion} ${data?.['text']?.trim()}`,
    )
    .sort()
    .join('\n');

describe('informers over a hub', () => {
  it.each([
    ['where the hub may watch RBAC', {}],
    ['where a hub reviews rights by a clock', { hubRights: hubWithoutRbac, reviewInterval: 15_000 }],
  ])('contain what each viewer may read after any history, and nothing else is sent: %s', (_, options) => {
    let compared = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const made = scene(options);
        const rights = new Rights(made);
        const readers = readersOf(made);
        readers.forEach(join);
        made.clock.advance(1_000);
        for (const [index, next] of steps.entries()) {
          play(made, readers, rights, next, index);
          made.clock.advance(1_000);
          for (const reader of readers) {
            expect(leaks(reader, rights)).toEqual([]);
            const { informer } = reader.followed ?? {};
            if (reader.isHeld || informer?.status.state !== 'watching') continue;
            compared++;
            expect(textOf(informer.list())).toBe(textOf(expected(made, reader, rights)));
          }
        }
        readers.forEach(release);
        made.clock.advance(130_000);
        for (const reader of readers) {
          expect(reader.problems).toEqual([]);
          expect(leaks(reader, rights)).toEqual([]);
          if (reader.followed === undefined) continue;
          expect(textOf(reader.followed.informer.list())).toBe(textOf(expected(made, reader, rights)));
        }
        for (const reader of readers) reader.followed?.informer.stop();
        made.clock.advance(70_000);
        expect([made.hub.viewers, made.hub.subscriptions, made.hub.rights, made.hub.informers]).toEqual([0, 0, 0, 0]);
        expect(made.clock.timers).toBe(0);
      }),
      { numRuns: histories },
    );
    expect(compared).toBeGreaterThan(histories);
  });
});
