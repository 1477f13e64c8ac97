import { requestLine, requestUrl } from '../../../src/sources/client/kube-client.js';

describe('requestLine', () => {
  it('is the path alone where nothing is asked', () => {
    expect(requestLine({ method: 'GET', path: '/api/v1/pods' })).toEqual({ method: 'GET', url: '/api/v1/pods' });
    expect(requestLine({ method: 'GET', path: '/api/v1/pods', query: { limit: undefined } }).url).toBe('/api/v1/pods');
  });

  it('encodes what is asked, in its order, and leaves out what is undefined', () => {
    const query = { labelSelector: 'a in (b, c)&d=e', watch: true, limit: undefined, timeoutSeconds: 0 };

    expect(requestLine({ method: 'GET', path: '/api/v1/pods', query }).url).toBe(
      '/api/v1/pods?labelSelector=a+in+%28b%2C+c%29%26d%3De&watch=true&timeoutSeconds=0',
    );
  });
});

describe('requestUrl', () => {
  const at = (baseUrl: string, url: string): string => requestUrl(baseUrl, { method: 'GET', url });

  it('puts the path of the server in front', () => {
    expect(at('https://host:6443', '/api?x=1')).toBe('https://host:6443/api?x=1');
    expect(at('https://host/k8s/', '/api')).toBe('https://host/k8s/api');
  });

  it('is relative to the origin without a server', () => {
    expect(at('', '/api')).toBe('/api');
    expect(at('/', '/api')).toBe('/api');
  });

  it('never names another host', () => {
    expect(new URL(at('https://host', '.evil.example')).host).toBe('host');
    expect(new URL(at('https://host', '@evil.example')).host).toBe('host');
    expect(at('', '//evil.example/api')).toBe('/evil.example/api');
  });
});
