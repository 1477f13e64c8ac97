import { configMaps, inNamespaces, pods, secrets, type ConfigMap } from 'rx-informers';
import { serveHub } from 'rx-informers/hub';
import { aConfigMap, serverFaults, createInMemoryApiServer } from 'rx-informers/testing';
import { errorWith } from '../support/error-with.js';
import { hubWithoutRbac, mayRead, receivedBy, scene, touchRbac, type Page, type Scene } from './support/scene.js';

const config = (namespace: string, name: string, text = ''): ConfigMap =>
  aConfigMap({ namespace, name, data: { text } });

function withObjects(made: Scene): Scene {
  made.server.apply([config('shop', 'a', 'mine'), config('bank', 'a', 'forbidden')]);
  return made;
}

const reviews = ({ requests }: Scene): readonly string[] => requests.filter((each) => each.includes('reviews'));
/** The types of the messages that a page has received, without those of the connection. */
const messages = ({ sockets }: Page): readonly string[] =>
  sockets.flatMap(({ hub }) =>
    hub.sent.map((frame) => (JSON.parse(frame.split('\n')[0] ?? '') as { type: string }).type),
  );

describe('a viewer without rights', () => {
  it.each([
    ['neither', []],
    ['only list', [{ verbs: ['list'], namespaces: ['bank'] }]],
    ['only watch', [{ verbs: ['watch'], namespaces: ['bank'] }]],
    ['single names', [{ resourceNames: ['a'], namespaces: ['bank'] }]],
    ['another kind', [{ resources: ['pods'], namespaces: ['bank'] }]],
    ['another namespace', mayRead('shop')],
  ])('is refused with rights to %s', (_, allow) => {
    const made = withObjects(scene());
    made.grant('eve', allow);
    for (const viewer of [{ token: 'eve' }, { user: 'eve' }]) {
      const page = made.page(viewer);
      const { informer, problems, states } = page.follow({ namespace: 'bank' });
      made.clock.advance(500);
      expect(problems).toEqual(['forbidden']);
      expect(states.at(-1)).toBe('forbidden');
      expect(informer.hasSynced).toBe(false);
      expect(messages(page)).toEqual(['welcome', 'ended']);
      expect(receivedBy(page)).not.toMatch(/forbidden"\}|bank/);
    }
  });

  it('is refused for all namespaces with the right to one of them', () => {
    const made = withObjects(scene());
    const { problems } = made.page().follow({});
    made.clock.advance(500);
    expect(problems).toEqual(['forbidden']);
  });

  it('is refused with a token that is unknown', () => {
    const made = withObjects(scene());
    const { problems } = made.page({ token: 'unknown' }).follow();
    made.clock.advance(500);
    expect(problems).toEqual(['forbidden']);
  });

  it('is refused with a token if the hub has no clients for tokens', () => {
    const made = withObjects(scene({ clientOf: undefined }));
    const { problems } = made.page().follow();
    made.clock.advance(500);
    expect(problems).toEqual(['forbidden']);
  });

  it('receives the objects once the rights are granted, without a new connection', () => {
    const made = withObjects(scene());
    const page = made.page();
    const { informer } = page.follow({ namespace: 'bank' });
    made.clock.advance(500);
    made.grant('ada', mayRead('bank'));
    made.clock.advance(2_000);
    expect(informer.keys()).toEqual(['bank/a']);
    expect(page.sockets).toHaveLength(1);
  });
});

describe('reviews of a hub', () => {
  it('are not sent for a kind that it does not serve', () => {
    const made = withObjects(scene());
    made.grant('ada', 'everything');
    const { problems, states } = made.page().follow({}, pods);
    made.clock.advance(100);
    expect(problems).toEqual(['not-served']);
    expect(states.at(-1)).toBe('not-found');
    expect(reviews(made)).toEqual([]);
  });

  it('are shared by viewers with one identity', () => {
    const made = withObjects(scene());
    const own = (user: string): Page => made.page({ user, groups: ['b', 'a'] });
    own('ada').follow();
    made.clock.advance(3_000);
    const before = reviews(made).length;
    made.page({ user: 'ada', groups: ['a', 'b', 'a'] }).follow();
    made.clock.advance(1_000);
    expect(reviews(made)).toHaveLength(before);
    expect(made.hub.rights).toBe(1);
  });

  it.each([
    { user: 'ada', groups: ['admins'] },
    { user: 'ada', uid: '1' },
    { user: 'ada', extra: { scopes: ['all'] } },
    { token: 'ada' },
  ])('are not shared by viewers of one name with different identities: %j', (other) => {
    const made = withObjects(scene());
    made.page({ user: 'ada' }).follow();
    made.page(other).follow();
    made.clock.advance(1_000);
    expect(made.hub.rights).toBe(2);
  });

  it('have the group of all authenticated users, and uid and extra', () => {
    const made = withObjects(scene());
    const bodies: string[] = [];
    made.server.requests$.subscribe(({ body, path }) => {
      if (path.endsWith('/subjectaccessreviews')) bodies.push(body);
    });
    made.page({ user: 'ada', groups: ['dev'], uid: '7', extra: { scopes: ['x'] } }).follow();
    made.clock.advance(1_000);
    expect(bodies.map((body) => (JSON.parse(body) as { spec: unknown }).spec)).toEqual(
      ['list', 'watch'].map((verb) => ({
        user: 'ada',
        groups: ['dev', 'system:authenticated'],
        uid: '7',
        extra: { scopes: ['x'] },
        resourceAttributes: { verb, group: '', version: 'v1', resource: 'configmaps', namespace: 'shop' },
      })),
    );
  });

  it('and lists and watches of its kinds, and RBAC, are all that the hub requests', () => {
    const made = withObjects(scene());
    made.page({ user: 'ada' }).follow({ namespace: 'shop', labelSelector: 'app=secret-selector' });
    made.clock.advance(400_000);
    const kinds = new Set(made.requests.map((request) => request.replace(/\?.*/, '')));
    expect([...kinds].sort()).toEqual([
      'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      'POST /apis/authorization.k8s.io/v1/subjectaccessreviews',
      'WATCH /api/v1/configmaps',
      'WATCH /apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
      'WATCH /apis/rbac.authorization.k8s.io/v1/clusterroles',
      'WATCH /apis/rbac.authorization.k8s.io/v1/rolebindings',
      'WATCH /apis/rbac.authorization.k8s.io/v1/roles',
    ]);
  });
});

describe('a withdrawn right', () => {
  it.each([{ token: 'ada' }, { user: 'ada' }])('cuts within 30 s where the hub may watch RBAC: %j', (viewer) => {
    const made = withObjects(scene());
    const page = made.page(viewer);
    const { informer, commits, problems } = page.follow();
    made.clock.advance(10_000);
    made.grant('ada', []);
    touchRbac(made);
    made.clock.advance(5_000);
    made.server.apply(config('shop', 'new', 'withdrawn'));
    made.clock.advance(60_000);
    expect(informer.list()).toEqual([]);
    expect(commits).toEqual(['initial added shop/a', 'relist deleted shop/a']);
    expect(problems[0]).toBe('forbidden');
    expect(receivedBy(page)).not.toContain('withdrawn');
  });

  it('cuts within 30 s if the cache of the authorizer is older than the change of RBAC', () => {
    const made = withObjects(scene());
    const { problems } = made.page().follow();
    made.clock.advance(10_000);
    touchRbac(made);
    made.clock.advance(5_000);
    made.grant('ada', []);
    made.clock.advance(25_000);
    expect(problems).toContain('forbidden');
  });

  it('cuts within 30 s if it is withdrawn after the first review, and before the hub has listed RBAC', () => {
    const made = withObjects(scene());
    const { informer, problems } = made.page().follow();
    made.clock.advance(30);
    expect(informer.keys()).toEqual(['shop/a']);
    expect(made.requests.filter((each) => each.includes('rolebindings'))).toEqual([]);
    made.grant('ada', []);
    touchRbac(made);
    made.clock.advance(30_000);
    expect([informer.keys(), problems[0]]).toEqual([[], 'forbidden']);
  });

  it('cuts when the right is reviewed, where the hub may not watch RBAC', () => {
    const made = withObjects(scene({ hubRights: hubWithoutRbac }));
    const { informer, problems } = made.page().follow();
    made.clock.advance(10_000);
    made.grant('ada', []);
    touchRbac(made);
    made.clock.advance(280_000);
    expect(informer.list()).toHaveLength(1);
    made.clock.advance(20_000);
    expect(informer.list()).toEqual([]);
    expect(problems[0]).toBe('forbidden');
    expect(made.requests.filter((each) => each.includes('rbac'))).toEqual([]);
  });

  it('of one namespace leaves the others', () => {
    const made = withObjects(scene());
    made.grant('ada', mayRead('shop', 'bank'));
    const { informer } = made.page().follow({ namespace: inNamespaces(['shop', 'bank']) });
    made.clock.advance(1_000);
    expect(informer.keys()).toEqual(['bank/a', 'shop/a']);
    made.grant('ada', mayRead('shop'));
    touchRbac(made, 'bank');
    made.clock.advance(20_000);
    expect(informer.keys()).toEqual(['shop/a']);
    made.server.apply(config('shop', 'b'));
    expect(informer.keys()).toEqual(['shop/a', 'shop/b']);
  });

  it('cuts a viewer whose token was revoked', () => {
    const made = withObjects(scene());
    const { problems } = made.page().follow();
    made.clock.advance(10_000);
    made.server.revoke('ada');
    made.clock.advance(300_000);
    expect(problems[0]).toBe('forbidden');
  });
});

describe('without the API server, a hub', () => {
  it('refuses new subscriptions, and cuts old ones after 2 minutes', () => {
    const made = withObjects(scene());
    const old = made.page().follow();
    made.clock.advance(20_000);
    made.server.faults.always('any', serverFaults.refuse());
    made.server.restart();
    made.clock.advance(20_000);
    const fresh = made.page().follow();
    const other = made.page({ user: 'ada' }).follow();
    made.clock.advance(15_000);
    expect([fresh.problems[0], other.problems[0]]).toEqual(['unavailable', 'unavailable']);
    expect([fresh.informer.hasSynced, other.informer.hasSynced]).toEqual([false, false]);
    expect(old.problems).not.toContain('unavailable');
    made.clock.advance(85_000);
    expect(old.problems).toContain('unavailable');
    expect(made.hub.rights).toBe(0);
  });

  it('serves again when it is back, and keeps viewers whose outage was short', () => {
    const made = withObjects(scene());
    const { informer, problems } = made.page().follow();
    made.clock.advance(20_000);
    made.server.faults.always('any', serverFaults.refuse());
    made.server.restart();
    made.clock.advance(60_000);
    made.server.faults.clear();
    made.server.apply(config('shop', 'b'));
    made.clock.advance(120_000);
    expect(problems).not.toContain('unavailable');
    expect(informer.keys()).toEqual(['shop/a', 'shop/b']);
  });

  it('serves again after an outage that cut all viewers', () => {
    const made = withObjects(scene());
    const { informer, problems } = made.page().follow();
    made.clock.advance(20_000);
    made.server.faults.always('any', serverFaults.refuse());
    made.server.restart();
    made.clock.advance(400_000);
    expect(problems).toContain('unavailable');
    made.server.faults.clear();
    made.server.apply(config('shop', 'b'));
    made.clock.advance(70_000);
    expect(informer.keys()).toEqual(['shop/a', 'shop/b']);
    expect(informer.status.state).toBe('watching');
  });

  it('tells viewers the code of its error, but no address, name or cause', () => {
    const made = withObjects(scene());
    const page = made.page();
    const { informer, states } = page.follow();
    made.clock.advance(1_000);
    made.grant('hub', hubWithoutRbac.slice(1));
    made.server.restart();
    made.clock.advance(60_000);
    expect(states).toContain('forbidden');
    expect(receivedBy(page)).not.toMatch(/\/api|User|cannot list|hub"/);
    expect(informer.status).toMatchObject({
      cause: { code: 'RXI_HUB', problem: 'upstream', upstreamCode: 'RXI_STATUS' },
    });
    expect(made.hubErrors.length).toBeGreaterThan(0);
  });
});

describe('serveHub', () => {
  const { client } = createInMemoryApiServer();

  it('refuses Secrets, unless they are allowed', () => {
    expect(() => serveHub({ client, kinds: [configMaps, secrets] })).toThrow(
      errorWith('RXI_INVALID_OPTION', { option: 'kinds' }),
    );
    expect(() => serveHub({ client, kinds: [secrets], allowSecrets: true })).not.toThrow();
  });

  it.each([{}, { user: '' }, { token: '' }, { token: 'ada', user: 'ada' }, { token: undefined }])(
    'refuses a viewer without an identity: %j',
    (viewer) => {
      const made = scene();
      const socket = { send: () => undefined, close: () => undefined, addEventListener: () => undefined };
      expect(() => made.hub.accept(socket, viewer as never)).toThrow(errorWith('RXI_INVALID_OPTION'));
      expect(made.hub.viewers).toBe(0);
    },
  );
});
