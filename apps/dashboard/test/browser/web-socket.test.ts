import type { Page } from 'playwright-core';
import { aPod, createApiServer, type ApiServer } from 'rx-informers/testing';
import { useChromium } from './support/chromium.js';
import { pageScript } from './support/page-script.js';

const count = 10;
const namespaceOf = (index: number): string => `ns-${index}`;

/**
 * The page's program: one informer for each of ten namespaces, by an origin that speaks HTTP/1.1.
 */
const program = `
  import { fetchClient, informer, listWatch, pods } from '../../src/index.ts';
  import { webSocketWatches } from '../../src/client.ts';

  globalThis.follow = (isByWebSocket) => {
    const client = fetchClient(isByWebSocket ? { watches: webSocketWatches() } : {});
    globalThis.informers = Array.from({ length: ${count} }, (_, index) => {
      const followed = informer(listWatch(client, pods, { namespace: 'ns-' + index }));
      followed.connect();
      return followed;
    });
  };
  globalThis.podsOf = () => globalThis.informers.map((followed) => followed.keys().length);
  globalThis.states = () => globalThis.informers.map((followed) => followed.status.state);
`;

describe('ten watches at once in Chromium over HTTP/1.1', () => {
  const openProfile = useChromium();
  let bundle: string;
  let api: ApiServer;

  beforeAll(async () => {
    bundle = await pageScript(program);
  });
  beforeEach(async () => {
    api = await createApiServer();
    api.apply(Array.from({ length: count }, (_, index) => aPod({ name: 'before', namespace: namespaceOf(index) })));
  });
  afterEach(() => api.close());

  async function openPage(isByWebSocket: boolean): Promise<Page> {
    const page = await (await openProfile()).newPage();
    await page.goto(`${api.url}/version`);
    await page.addScriptTag({ content: bundle });
    await page.evaluate(`follow(${isByWebSocket})`);
    return page;
  }

  it('are all live over WebSockets, and leave six connections for lists and other requests', async () => {
    const page = await openPage(true);
    await page.waitForFunction(`states().every((state) => state === 'watching')`);
    for (let index = 0; index < count; index += 1) {
      api.apply(aPod({ name: 'after', namespace: namespaceOf(index) }));
    }
    await page.waitForFunction(`podsOf().every((number) => number === 2)`);

    expect(await page.evaluate(`fetch('/version').then((response) => response.status)`)).toBe(200);
  });

  it('only six are live over fetch: the others and any other request wait for a connection', async () => {
    const page = await openPage(false);
    await page.waitForFunction(`podsOf().filter((number) => number === 1).length === 6`);
    // It is answered only if a connection is free; the watches hold them for minutes.
    const request = `fetch('/version', { signal: AbortSignal.timeout(1000) })`;

    expect(await page.evaluate(`${request}.then(() => 'answered', ({ name }) => name)`)).toBe('TimeoutError');
    expect(await page.evaluate(`podsOf().toSorted()`)).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
  });
});
