import fc from 'fast-check';
import { admit, type Admissible, type Admission } from '../../server/admission.js';

const readOnly = { allowWrites: false };

function get(url: string, headers: Admissible['headers'] = {}): Admissible {
  return { method: 'GET', url, headers: { host: 'localhost:8080', ...headers } };
}

function codeOf(admission: Admission): number | undefined {
  return admission.type === 'refused' ? admission.failure.code : undefined;
}

function admitted(request: Admissible, options = readOnly): boolean {
  return admit(request, options).type !== 'refused';
}

describe('admission by host', () => {
  it.each(['localhost', 'localhost:8080', 'LOCALHOST:8080', '127.0.0.1:8080', '[::1]:8080', 'localhost:9000'])(
    'answers to %s',
    (host) => {
      expect(admitted(get('/api', { host }))).toBe(true);
    },
  );

  it.each([
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    'evil.example:localhost',
    '127.0.0.1.evil.example',
    'localhost@evil.example',
    'evil.example#localhost',
    '10.0.0.1:8080',
    '0.0.0.0:8080',
    'localhost:8080:80',
    'localhost.',
    '',
  ])('refuses %j, which a name server could point to this machine', (host) => {
    expect(codeOf(admit(get('/api', { host }), readOnly))).toBe(403);
    expect(codeOf(admit(get('/', { host }), readOnly))).toBe(403);
  });

  it('refuses a request with two Host headers, in any order', () => {
    const rawHeaders = ['Host', 'localhost:8080', 'host', 'evil.example'];
    expect(codeOf(admit({ ...get('/api'), rawHeaders }, readOnly))).toBe(400);
    expect(admit({ ...get('/api'), rawHeaders: ['Host', 'localhost', 'X-Name', 'host'] }, readOnly).type).toBe('api');
  });

  it('refuses a request without a Host header', () => {
    expect(codeOf(admit({ method: 'GET', url: '/api', headers: {} }, readOnly))).toBe(403);
  });
});

describe('admission of metrics', () => {
  const group = '/apis/metrics.k8s.io/v1beta1';

  it.each([group, `${group}/pods`, `${group}/nodes`, `${group}/namespaces/shop/pods`])('allows reading %s', (url) => {
    expect(admit(get(url), readOnly).type).toBe('api');
  });

  it('refuses writes', () => {
    expect(codeOf(admit({ ...get(`${group}/nodes/a`), method: 'DELETE' }, readOnly))).toBe(403);
  });
});

describe('admission of Secrets', () => {
  it.each([
    '/api/v1/secrets',
    '/api/v1/secrets?watch=true',
    '/api/v1/namespaces/a/secrets?fieldSelector=metadata.name%3Ddb',
    '/api/v1/namespaces/a/secrets/db',
    '/api/v1/namespaces/a/%73ecrets/db',
    '/api/v1/watch/secrets',
    '/api/v1/watch/namespaces/a/secrets/db',
  ])('returns only the metadata of %s, unless Secrets are enabled', (url) => {
    expect(admit(get(url), readOnly)).toMatchObject({ type: 'api', isSecret: true });
    expect(admit(get(url), { ...readOnly, secrets: true })).toMatchObject({ type: 'api', isSecret: false });
  });

  it.each(['/api/v1/namespaces/secrets', '/api/v1/namespaces/secrets/pods', '/api/v1/namespaces/a/pods/secrets'])(
    'does not mistake a name for a Secret: %s',
    (url) => {
      expect(admit(get(url), readOnly)).toMatchObject({ type: 'api', isSecret: false });
    },
  );
});

describe('admission by context', () => {
  const contexts = new Set(['prod', 'arn:aws:eks:eu-west-1:1:cluster/prod', 'a b']);

  it.each([
    ['/contexts/prod/api/v1/pods?watch=1', 'prod', '/api/v1/pods'],
    [
      '/contexts/arn%3Aaws%3Aeks%3Aeu-west-1%3A1%3Acluster%2Fprod/apis',
      'arn:aws:eks:eu-west-1:1:cluster/prod',
      '/apis',
    ],
    ['/contexts/a%20b/version', 'a b', '/version'],
  ])('finds the context of %s', (url, context, path) => {
    expect(admit(get(url), { ...readOnly, contexts })).toMatchObject({ type: 'api', context, path });
  });

  it('applies the same rules after the prefix of a context', () => {
    const judged = (url: string, method = 'GET'): number | undefined =>
      codeOf(admit({ ...get(url), method }, { ...readOnly, contexts }));
    expect(judged('/contexts/prod/api/v1/nodes/n/proxy')).toBe(403);
    expect(judged('/contexts/prod/api/v1/pods', 'DELETE')).toBe(403);
    expect(judged('/contexts/prod/../api')).toBe(400);
    expect(judged('/contexts/prod//api')).toBe(400);
    expect(judged('/contexts/prod%2F..%2Fother/api')).toBe(400);
    expect(admit(get('/contexts/other/api/v1/pods'), { ...readOnly, contexts }).type).toBe('page');
    expect(admit(get('/contexts/prod/dashboard/info'), { ...readOnly, contexts })).toEqual({
      type: 'info',
      context: 'prod',
    });
  });
});

describe('admission by origin', () => {
  it('allows its own page, and clients that are not a page', () => {
    expect(admitted(get('/api', { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' }))).toBe(true);
    expect(admitted(get('/api', { 'sec-fetch-site': 'none' }))).toBe(true);
    expect(admitted(get('/api'))).toBe(true);
  });

  it.each([
    'http://evil.example',
    'http://localhost:3000',
    'https://localhost:8080',
    'http://127.0.0.1:8080',
    'null',
    '',
  ])('refuses a page from %j', (origin) => {
    expect(codeOf(admit(get('/api', { origin }), readOnly))).toBe(403);
    expect(codeOf(admit({ ...get('/api', { origin }), method: 'POST' }, { allowWrites: true }))).toBe(403);
  });

  it.each(['cross-site', 'same-site', 'whatever'])('refuses a request that the browser marks as %s', (site) => {
    expect(codeOf(admit(get('/api', { 'sec-fetch-site': site }), readOnly))).toBe(403);
    expect(codeOf(admit(get('/assets/page.js', { 'sec-fetch-site': site }), readOnly))).toBe(403);
  });

  it('allows a link from another site to the page, but not to the API and not into a frame', () => {
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

    expect(admitted(get('/', link))).toBe(true);
    expect(codeOf(admit(get('/api/v1/pods', link), readOnly))).toBe(403);
    expect(codeOf(admit(get('/', { ...link, 'sec-fetch-dest': 'iframe' }), readOnly))).toBe(403);
  });
});

describe('admission by method', () => {
  it.each([
    ['PUT', '/api/v1/namespaces/a/pods/b'],
    ['PATCH', '/api/v1/namespaces/a/pods/b'],
    ['PATCH', '/api/v1/nodes/n'],
    ['PATCH', '/api/v1/namespaces/a'],
    ['PATCH', '/apis/apps/v1/namespaces/a/deployments/b?dryRun=All&fieldManager=dashboard'],
    ['PATCH', '/apis/apps/v1/namespaces/a/deployments/b/scale'],
    ['PUT', '/apis/example.com/v1/namespaces/a/widgets/b/scale'],
    ['DELETE', '/api/v1/namespaces/a/pods/b'],
    ['POST', '/api/v1/namespaces/a/pods/b/eviction'],
  ])('allows %s %s only if writes are enabled', (method, url) => {
    const request = { ...get(url), method };

    expect(codeOf(admit(request, readOnly))).toBe(403);
    expect(admit(request, { allowWrites: true })).toMatchObject({ type: 'api' });
  });

  it.each([
    ['application/json-patch+json', true],
    ['application/merge-patch+json; charset=utf-8', true],
    ['application/strategic-merge-patch+json', true],
    ['application/apply-patch+yaml', false],
    ['application/apply-patch+yaml;charset=utf-8', false],
    ['Application/Apply-Patch+YAML', false],
    ['application/apply-patch+cbor', false],
    ['application/merge-patch+json, application/apply-patch+yaml', false],
    ['text/plain', false],
    ['', false],
  ])('refuses a patch that could create an object, even if writes are enabled: %s', (contentType, isAllowed) => {
    const { headers, ...request } = get('/api/v1/namespaces/a/configmaps/new');
    const patch = { ...request, method: 'PATCH', headers: { ...headers, 'content-type': contentType } };
    const admission = admit(patch, { allowWrites: true });
    expect(isAllowed ? admission.type : codeOf(admission)).toBe(isAllowed ? 'api' : 403);
  });

  it.each([
    ['POST', '/api/v1/namespaces/a/serviceaccounts/default/token'],
    ['PUT', '/api/v1/namespaces/a/pods/b/ephemeralcontainers'],
    ['PATCH', '/api/v1/namespaces/a/pods/b/ephemeralcontainers'],
    ['PATCH', '/api/v1/namespaces/a/pods/b/%65phemeralcontainers'],
    ['PUT', '/apis/certificates.k8s.io/v1/certificatesigningrequests/a/approval'],
    ['PUT', '/apis/certificates.k8s.io/v1/certificatesigningrequests/a/status'],
    ['POST', '/api/v1/namespaces/a/pods'],
    ['POST', '/api/v1/namespaces/a/pods/b/binding'],
    ['POST', '/api/v1/namespaces/a/bindings'],
    ['PUT', '/api/v1/namespaces/a/finalize'],
    ['DELETE', '/api/v1/namespaces/a/pods'],
    ['DELETE', '/api/v1/namespaces/a/pods/'],
    ['DELETE', '/api/v1/namespaces'],
    ['DELETE', '/api/v1/watch/namespaces/a/pods/b'],
    ['PATCH', '/api/v1'],
    ['POST', '/apis/policy/v1/namespaces/a/pods/b/eviction'],
    ['POST', '/apis/authentication.k8s.io/v1/tokenreviews'],
    ['POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews'],
    ['POST', '/apis/authorization.k8s.io/v1/namespaces/a/localsubjectaccessreviews'],
    ['POST', '/apis/example.com/v1/selfsubjectreviews'],
    ['PATCH', '/api/v1/namespaces/a/secrets/b'],
    ['PUT', '/api/v1/namespaces/a/secrets/b'],
    ['DELETE', '/api/v1/namespaces/a/secrets/b'],
  ])('refuses %s %s, even if everything is allowed', (method, url) => {
    expect(codeOf(admit({ ...get(url), method }, { allowWrites: true }))).toBe(403);
  });

  it.each([
    '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  ])('allows POST %s, which only asks a question, even if the server is read-only', (url) => {
    expect(admitted({ ...get(url), method: 'POST' })).toBe(true);
    expect(codeOf(admit({ ...get(`${url}/a`), method: 'POST' }, readOnly))).toBe(403);
    expect(codeOf(admit({ ...get(url), method: 'PUT' }, { allowWrites: true }))).toBe(403);
  });

  it.each(['TRACE', 'CONNECT', 'OPTIONS', 'PROPFIND', 'get'])('refuses %s, even if everything is allowed', (method) => {
    expect(codeOf(admit({ ...get('/api/v1/pods'), method }, { allowWrites: true }))).toBe(405);
  });

  it('admission refuses every upgrade of a connection', () => {
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };

    expect(codeOf(admit(get('/api/v1/watch/pods', upgrade), { allowWrites: true }))).toBe(403);
    expect(codeOf(admit(get('/', upgrade), readOnly))).toBe(403);
  });
});

describe('admission by path', () => {
  it.each([
    '/api',
    '/apis',
    '/version',
    '/api/',
    '/api/v1/pods?watch=true&resourceVersion=5',
    '/apis/apps/v1/namespaces/shop/deployments/web/scale',
    '/api/v1/namespaces/shop/pods/web/log?follow=true',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode',
  ])('admission allows the page to read %s', (url) => {
    const [path = '', query] = url.split('?');

    expect(admit(get(url), readOnly)).toMatchObject({
      type: 'api',
      path,
      query: query === undefined ? '' : `?${query}`,
    });
  });

  it.each([
    '/api/v1/namespaces/shop/pods/exec',
    '/api/v1/namespaces/proxy/pods',
    '/api/v1/namespaces/proxy/status',
    '/api/v1/namespaces/proxy',
    '/api/v1/nodes/proxy',
    '/apis/example.com/v1/proxies/exec/status',
  ])('does not mistake a name for a subresource: %s', (url) => {
    expect(admit(get(url), readOnly).type).toBe('api');
  });

  it.each([
    '/api/v1/namespaces/shop/pods/web/exec?command=sh&stdout=true',
    '/api/v1/namespaces/shop/pods/web/attach',
    '/api/v1/namespaces/shop/pods/web/portforward?ports=80',
    '/api/v1/namespaces/shop/pods/web/proxy',
    '/api/v1/namespaces/shop/pods/web:80/proxy/admin',
    '/api/v1/namespaces/shop/services/https:web:443/proxy/',
    '/api/v1/nodes/worker-1/proxy/run/shop/web/app',
    '/api/v1/nodes/worker-1/prox%79/pods',
    '/api/v1/nodes/worker-1/%70roxy',
    '/%61pi/v1/nodes/worker-1/proxy',
    '/api/v1/proxy/nodes/worker-1/logs/',
    '/api/v1/watch/namespaces/shop/pods/web/exec',
    '/apis/subresources.example.com/v1/namespaces/shop/machines/web/portforward',
  ])('the proxy opens no tunnel: %s', (url) => {
    expect(codeOf(admit(get(url), { allowWrites: true }))).toBe(403);
    expect(codeOf(admit({ ...get(url), method: 'POST' }, { allowWrites: true }))).toBe(403);
  });

  it.each([
    '/api/../metrics',
    '/api/v1/./pods',
    '/api/%2e%2e/metrics',
    '/api/v1/nodes/x/%2Fproxy',
    '/api/v1/nodes/x%2Fproxy',
    '/api/v1/nodes/x/%252e%252e/proxy',
    '/api/v1//nodes/x/proxy',
    '//evil.example/api',
    '/api/v1\\..\\metrics',
    '/api/v1/%5c..%5cmetrics',
    '/api/v1/pods%00',
    '/api/v1/pods%0d%0aHost:%20evil',
    '/api/%',
    '/api/%ff',
    '/../../etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    'http://evil.example/api',
    'api',
    '*',
    '',
  ])('refuses an ambiguous path: %j', (url) => {
    expect(codeOf(admit(get(url), readOnly))).toBe(400);
  });

  it.each(['?watch=1#x', '?a=b c', '?a=\u00e9', '?a=\r\nHost: evil'])('refuses the query %j', (query) => {
    expect(codeOf(admit(get(`/api/v1/pods${query}`), readOnly))).toBe(400);
  });

  it('passes all paths outside of the API to the page', () => {
    for (const url of ['/', '/index.html', '/metrics', '/apiary', '/healthz', '/openapi/v3', '/logs/']) {
      expect(admit(get(url), readOnly)).toEqual({ type: 'page', path: url, query: '' });
    }
  });

  it('passes on only paths that every program parses in the same way', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'api',
        'v1',
        'nodes',
        'proxy',
        'exec',
        '..',
        '.',
        '%2e',
        '%2f',
        '%25',
        '\\',
        '/',
        '//',
        ';',
        ':',
        '@',
        '#',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    );
    const url = fc.array(piece, { maxLength: 8 }).map((pieces) => `/api/v1/${pieces.join('')}`);
    fc.assert(
      fc.property(url, (text) => {
        const admission = admit(get(text), readOnly);
        fc.pre(admission.type === 'api');
        const { pathname, origin } = new URL(admission.path, 'http://upstream');
        const segments = pathname.split('/').map(decodeURIComponent);

        expect({ pathname, origin }).toEqual({ pathname: admission.path, origin: 'http://upstream' });
        expect(segments.slice(1, -1)).not.toContain('');
        expect(['proxy', 'exec']).not.toContain(segments[5]);
      }),
    );
  });
});
