import { configMaps, informer, pods, secrets, type KubeClient, type Resource, type SourceStatus } from 'rx-informers';
import { latestSource, type ResponsePart } from 'rx-informers/client';
import { aConfigMap } from 'rx-informers/testing';
import { defer, from, tap, throwError } from 'rxjs';
import { mayRead, scene, type Page, type Scene } from '../../../../test/hub/support/scene.js';
import { kindsOfHub } from '../../page/cluster/hub-kinds.js';
import { hubReading, nextStep, type ReadingOptions } from '../../page/cluster/hub-reading.js';
import { parseWorkerName, workerName } from '../../page/cluster/worker-name.js';

const named = ({ group, version, plural }: Resource<unknown>): object => ({ group, version, plural });

/** A page of the viewer `ada`, whose own requests and whose server are recorded. */
interface ReadingPage {
  readonly made: Scene;
  readonly page: Page;
  /** The own requests of the viewer, without those for the information. */
  readonly own: readonly string[];
  /** The kinds in the information; `undefined` without an answer, an error if it is refused. */
  info: readonly Resource<unknown>[] | undefined | 401;
  follow(resource: Resource<unknown>, options?: ReadingOptions): Followed;
}

interface Followed {
  readonly keys: readonly string[];
  readonly states: readonly SourceStatus['state'][];
  stop(): void;
}

function readingPage(): ReadingPage {
  const made = scene();
  made.server.apply([aConfigMap({ namespace: 'shop', name: 'a' }), aConfigMap({ namespace: 'lab', name: 'b' })]);
  const viewer = made.server.clientFor('ada');
  const own: string[] = [];
  const client: KubeClient = {
    ...viewer,
    exchange: (request) => {
      if (request.path === '/dashboard/info') return defer(() => informationOf(opened.info));
      own.push(`${request.query?.['watch'] === undefined ? request.method : 'WATCH'} ${request.path}`);
      return viewer.exchange(request).pipe(
        tap({
          error: (error: { readonly statusCode?: number }) => own.push(String(error.statusCode)),
        }),
      );
    },
  };
  const page = made.page({ token: 'ada' });
  const reading = hubReading(client, page.connection);
  const opened: ReadingPage = {
    made,
    page,
    own,
    info: [configMaps],
    follow(resource, options = { namespace: 'shop' }) {
      const facts = { resource, scheduler: made.clock };
      const followed = informer(latestSource(reading.sources(resource, options), facts), {
        scheduler: made.clock,
        onUnobservedError: () => undefined,
      });
      const states: SourceStatus['state'][] = [];
      followed.status$.subscribe(({ state }) => states.push(state));
      followed.connect();
      return {
        get keys() {
          return followed.keys();
        },
        states,
        stop: () => {
          followed.stop();
        },
      };
    },
  };
  return opened;
}

function informationOf(info: ReadingPage['info']): ReturnType<KubeClient['exchange']> {
  if (info === undefined) return throwError(() => new Error('no answer'));
  const headers = { 'content-type': 'application/json' };
  if (info === 401) return refused;
  const bytes = new TextEncoder().encode(JSON.stringify({ hub: info.map(named) }));
  const parts: readonly ResponsePart[] = [
    { type: 'head', status: 200, headers },
    { type: 'bytes', bytes },
  ];
  return from(parts);
}

const refused = defer(() => {
  const made = scene();
  return made.server.clientFor('unknown').exchange({ method: 'GET', path: '/version' });
});

describe('the page of a server with a hub', () => {
  it('reads a kind of the hub through it, and sends no request of its own', () => {
    const opened = readingPage();
    const followed = opened.follow(configMaps);
    opened.made.clock.advance(1_000);
    opened.made.server.apply(aConfigMap({ namespace: 'shop', name: 'later' }));
    expect([followed.keys, opened.own]).toEqual([['shop/a', 'shop/later'], []]);
    expect(opened.page.sockets.length).toBe(1);
  });

  it.each<[string, (opened: ReadingPage) => Followed]>([
    [
      'a kind that the hub does not have',
      (opened) => {
        opened.made.grant('ada', 'everything');
        return opened.follow(pods);
      },
    ],
    ['only the metadata', (opened) => opened.follow(configMaps, { namespace: 'shop', metadataOnly: true })],
    ['a transform', (opened) => opened.follow(configMaps, { namespace: 'shop', transform: (object) => object })],
    [
      'a kind of a server that does not answer',
      (opened) => {
        opened.info = undefined;
        return opened.follow(configMaps);
      },
    ],
    [
      'a kind that the hub refuses, although the information has it',
      (opened) => {
        opened.made.grant('ada', 'everything');
        opened.info = [secrets];
        return opened.follow(secrets);
      },
    ],
    [
      'a selector that the hub cannot evaluate',
      (opened) => opened.follow(configMaps, { namespace: 'shop', fieldSelector: 'metadata.name=a\\,b' }),
    ],
    [
      'everything, if the hub cannot be reached at first',
      (opened) => {
        opened.page.isOffline = true;
        return opened.follow(configMaps);
      },
    ],
    [
      'an object for which there are rights by its name only',
      (opened) => {
        opened.made.grant('ada', [
          { verbs: ['get', 'list', 'watch'], resources: ['configmaps'], groups: [''], resourceNames: ['a'] },
        ]);
        return opened.follow(configMaps, { namespace: 'shop', fieldSelector: 'metadata.name=a' });
      },
    ],
  ])('reads with own requests %s', (_, follow) => {
    const opened = readingPage();
    const followed = follow(opened);
    opened.made.clock.advance(2_000);
    expect(followed.states.at(-1)).toBe('watching');
    expect(opened.own).toContainEqual(expect.stringMatching(/^WATCH /));
    followed.stop();
  });

  it('shows that the viewer may not read a kind, and asks the hub again', () => {
    const opened = readingPage();
    const followed = opened.follow(configMaps, { namespace: 'lab' });
    opened.made.clock.advance(1_000);
    expect([followed.states.at(-1), opened.own]).toEqual(['forbidden', []]);
    opened.made.grant('ada', mayRead('shop', 'lab'));
    opened.made.clock.advance(60_000);
    expect([followed.keys, opened.own]).toEqual([['lab/b'], []]);
  });

  it('connects to the hub again after the connection was lost, without own requests', () => {
    const opened = readingPage();
    const followed = opened.follow(configMaps);
    opened.made.clock.advance(1_000);
    opened.page.isOffline = true;
    opened.page.socket.cut();
    opened.made.clock.advance(20_000);
    expect([followed.states.at(-1), followed.keys]).toEqual(['backing-off', ['shop/a']]);
    opened.page.isOffline = false;
    opened.made.server.apply(aConfigMap({ namespace: 'shop', name: 'later' }));
    opened.made.clock.advance(60_000);
    expect([followed.states.at(-1), followed.keys, opened.own]).toEqual(['watching', ['shop/a', 'shop/later'], []]);
  });

  it('reports 401 with own requests if the session has ended, so that the page leads to the sign-in', () => {
    const opened = readingPage();
    const followed = opened.follow(configMaps);
    opened.made.clock.advance(1_000);
    opened.info = 401;
    opened.page.isOffline = true;
    opened.made.server.revoke('ada');
    opened.page.socket.cut();
    opened.made.clock.advance(1_000);
    expect(followed.states.at(-1)).toBe('forbidden');
    expect(opened.own).toContain('401');
  });

  it('asks for the kinds of the hub once for all sources, and again if it was not answered', () => {
    const opened = readingPage();
    opened.info = undefined;
    const first = opened.follow(configMaps);
    opened.made.clock.advance(1_000);
    opened.info = [configMaps];
    first.stop();
    const before = opened.own.length;
    const second = opened.follow(configMaps);
    opened.made.clock.advance(1_000);
    opened.info = undefined;
    const third = opened.follow(configMaps);
    opened.made.clock.advance(1_000);
    expect([second.keys, third.keys, opened.own.length]).toEqual([['shop/a'], ['shop/a'], before]);
  });

  it('decides by the status alone', () => {
    const live: SourceStatus = { state: 'watching', since: 0, resourceVersion: '' };
    expect([nextStep(live, true, false), nextStep({ state: 'reconnecting' }, false, true)]).toEqual([
      'continue',
      'continue',
    ]);
  });
});

describe('the kinds of a hub', () => {
  it.each([undefined, null, 'text', {}, { hub: 'pods' }, { hub: {} }])('are none in the information %j', (info) => {
    expect(kindsOfHub(info)).toEqual([]);
  });

  it('are read from the information', () => {
    const hub = [
      { group: '', version: 'v1', plural: 'pods' },
      { group: 'apps', version: 'v1', plural: 'deployments' },
    ];
    expect(kindsOfHub({ hub })).toEqual(['/v1/pods', 'apps/v1/deployments']);
  });
});

describe('the name of the shared worker', () => {
  it.each([
    ['', ''],
    ['', '/contexts/prod'],
    ['team:', ''],
    ['team:', '/k8s'],
  ])('says whether the server has a sign-in, and the path of the API: %j %j', (prefix, baseUrl) => {
    const start = { baseUrl, isTeam: prefix !== '' };
    expect([workerName(start), parseWorkerName(`${prefix}${baseUrl}`)]).toEqual([`${prefix}${baseUrl}`, start]);
  });
});
