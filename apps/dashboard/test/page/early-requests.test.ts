import { jest } from '@jest/globals';
import { fetchOrEarlier, sendEarly } from '../../page/cluster/early-requests.js';

describe("the requests that are sent before the page's script is loaded", () => {
  let sent: string[];
  const realFetch = globalThis.fetch;

  beforeEach(() => {
    sent = [];
    globalThis.fetch = jest.fn<typeof fetch>((input) => {
      sent.push(input as string);
      return Promise.resolve(new Response(`answer ${sent.length}`));
    });
  });
  afterEach(() => {
    globalThis.fetch = realFetch;
  });

  it.each([
    ['', ['/dashboard/info', '/version', '/api/v1/pods?limit=50']],
    ['?api=/k8s', ['/k8s/dashboard/info', '/k8s/version', '/k8s/api/v1/pods?limit=50']],
    ['?namespace=shop', ['/dashboard/info', '/version', '/api/v1/namespaces/shop/pods?limit=50']],
    ['?namespace=../x', ['/dashboard/info', '/version', '/api/v1/pods?limit=50']],
    ['?api=//evil.example', ['/dashboard/info', '/version', '/api/v1/pods?limit=50']],
    ['?view=timeline', ['/dashboard/info', '/version']],
    ['?at=2026-01-31T14:02:31.000Z', ['/dashboard/info', '/version']],
    [
      '?context=a/b',
      ['/contexts/a%2Fb/dashboard/info', '/contexts/a%2Fb/version', '/contexts/a%2Fb/api/v1/pods?limit=50'],
    ],
    ['?context=..', ['/dashboard/info', '/version', '/api/v1/pods?limit=50']],
  ])('for the address "%s" are those that its first screen needs', (search, expected) => {
    sendEarly(search);
    expect(sent).toEqual(expected);
  });

  it('are used once: a second equal request is sent again', async () => {
    sendEarly('');
    const texts = [];
    for (const url of ['/version', '/version', '/api']) texts.push(await (await fetchOrEarlier(url)).text());
    expect(texts).toEqual(['answer 2', 'answer 4', 'answer 5']);
  });

  it('are not used for a request that changes something', async () => {
    sendEarly('');
    const written = await fetchOrEarlier('/version', { method: 'POST' });
    expect(await written.text()).toBe('answer 4');
  });
});
