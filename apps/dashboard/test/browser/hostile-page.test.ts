import { KubeConfig } from '@kubernetes/client-node';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { aPod, createApiServer, type ApiServer } from 'rx-informers/testing';
import { startDashboardServer, type DashboardServer } from '../../server/dashboard-server.js';
import { useChromium } from './support/chromium.js';
import { builtPage } from './support/dashboard.js';
import { countRequests, settled } from './support/page-conditions.js';
import { podRow, statusText } from './support/places.js';

const html = '<!doctype html><title>hostile</title><body>';

/** The results of the attempts of a hostile page; each must be `blocked`. */
type Outcomes = Readonly<Record<string, string>>;

describe('a hostile page in the browser that has opened the dashboard', () => {
  // Names of the attacker: one of another site, and one that begins to point at the dashboard.
  const openProfile = useChromium(['--host-resolver-rules=MAP evil.example 127.0.0.1, MAP rebound.example 127.0.0.1']);
  let context: BrowserContext;
  let api: ApiServer;
  let dashboard: DashboardServer;
  let hostile: Server;
  let port: number;
  /** The requests that the hostile server received. */
  const received: IncomingMessage[] = [];
  /** The requests that reached the API server since the attack began. */
  let reached: string[] = [];

  beforeEach(async () => {
    api = await createApiServer();
    api.apply(aPod({ name: 'web-1', namespace: 'shop' }));
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(api.kubeconfig());
    dashboard = await startDashboardServer({ kubeConfig, page: builtPage, allowWrites: true, secrets: true });
    hostile = createServer((request, response) => {
      received.push(request);
      response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    });
    await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve));
    port = (hostile.address() as AddressInfo).port;
    context = await openProfile();
    const page = await context.newPage();
    countRequests(page);
    await page.goto(dashboard.pageUrl);
    // The page has loaded everything that it loads by itself.
    await statusText(page, 'live').waitFor();
    await settled(page);
    await page.close();
    reached = [];
    received.length = 0;
    api.requests$.subscribe(({ method, path }) => reached.push(`${method} ${path}`));
  });
  afterEach(async () => {
    await dashboard.close();
    await new Promise((resolve) => hostile.close(resolve));
    await api.close();
  });

  async function attackFrom(origin: string, targets: readonly string[]): Promise<{ page: Page; outcomes: Outcomes }> {
    const page = await context.newPage();
    await page.goto(origin);
    const outcomes = await page.evaluate(attack, targets);
    return { page, outcomes };
  }

  it.each([
    ['another name', (at: number) => `http://evil.example:${at}/`],
    ['another port of localhost', (at: number) => `http://localhost:${at}/`],
    ['another port of 127.0.0.1', (at: number) => `http://127.0.0.1:${at}/`],
  ])('served from %s, reads nothing, writes nothing, loads nothing and frames nothing', async (_, from) => {
    const localhost = dashboard.url.replace('127.0.0.1', 'localhost');
    const { outcomes } = await attackFrom(from(port), [dashboard.url, localhost]);

    expect(Object.entries(outcomes).filter(([, outcome]) => outcome !== 'blocked')).toEqual([]);
    expect(Object.keys(outcomes).length).toBeGreaterThanOrEqual(2 * 14);
    // The dashboard's own page, now closed, may still have sent a request.
    expect(reached.filter((request) => !request.startsWith('GET ') || request.includes('pods'))).toEqual([]);
  });

  it('gets neither page nor API if its own host name resolves to the dashboard (DNS rebinding)', async () => {
    const page = await context.newPage();
    const rebound = dashboard.url.replace('127.0.0.1', 'rebound.example');
    for (const path of ['/', '/api/v1/pods', '/dashboard/info', `/?key=${dashboard.key}`]) {
      const answer = await page.goto(`${rebound}${path}`);
      expect([path, answer?.status()]).toEqual([path, 403]);
      expect(await page.content()).not.toContain('web-1');
    }
    // The page of ours that was closed may still have asked for something.
    expect(reached.filter((request) => !request.startsWith('GET ') || request.includes('pods'))).toEqual([]);
  });

  it('cannot control a window that it opened, nor read the key from it', async () => {
    const page = await context.newPage();
    await page.goto(`http://evil.example:${port}/`);
    const [popup] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate((url) => {
        (globalThis as { popup?: Window | null }).popup = window.open(url);
      }, dashboard.url),
    ]);
    await popup.waitForLoadState();
    await podRow(popup, 'web-1').waitFor();

    expect(await popup.evaluate(() => window.opener === null)).toBe(true);
    expect(
      await page.evaluate(() => {
        const { popup: opened } = globalThis as unknown as { popup: Window };
        return opened.closed;
      }),
    ).toBe(true);
  });

  it('cannot get the key from the address, from a script, or from another site', async () => {
    const page = await context.newPage();
    await page.goto(dashboard.url);
    await podRow(page, 'web-1').waitFor();
    expect(page.url()).not.toContain('key=');
    expect(await page.evaluate(() => document.cookie)).not.toContain(dashboard.key);
    expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toContain(dashboard.key);
    await page.reload();
    await podRow(page, 'web-1').waitFor();

    const other = await context.newPage();
    await other.goto(`http://evil.example:${port}/`);
    await other.evaluate(() => fetch('/', { credentials: 'include' }));
    const sent = received.map(({ headers }) => JSON.stringify(headers)).join();
    expect(sent).not.toContain(dashboard.key);
  });

  it('a browser that has not opened the printed address gets a page that explains what to do', async () => {
    const fresh = await openProfile();
    const page = await fresh.newPage();
    const answer = await page.goto(`${dashboard.url}/?view=workloads`);

    expect(answer?.status()).toBe(401);
    await page.getByRole('heading', { name: 'The dashboard needs its key' }).waitFor();
    expect(await page.evaluate(() => fetch('/api/v1/pods').then(({ status }) => status))).toBe(401);

    await page.goto(dashboard.pageUrl);
    await podRow(page, 'web-1').waitFor();
  });

  it("the dashboard's own page has its files and its security policy at every path depth", async () => {
    const page = await context.newPage();
    await page.goto(`${dashboard.url}/pods/shop`);
    await podRow(page, 'web-1').waitFor();
    const policy = await page.locator('meta[http-equiv=Content-Security-Policy]').getAttribute('content');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
  });
});

/** Runs in the hostile page: tries everything that a page can do, and reports the results. */
async function attack(targets: readonly string[]): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {};
  const patience = 3_000;
  const soon = (work: Promise<string>): Promise<string> =>
    Promise.race([work, new Promise<string>((resolve) => setTimeout(resolve, patience, 'blocked'))]);

  const byFetch = async (url: string, init: RequestInit): Promise<string> => {
    try {
      const answer = await fetch(url, { credentials: 'include', ...init });
      return answer.type === 'opaque' ? 'blocked' : `read ${answer.status}`;
    } catch {
      return 'blocked';
    }
  };
  const byElement = (name: 'img' | 'script' | 'link' | 'object', url: string): Promise<string> =>
    new Promise((resolve) => {
      const element = document.createElement(name);
      element.addEventListener('load', () => {
        resolve('loaded');
      });
      element.addEventListener('error', () => {
        resolve('blocked');
      });
      if (element instanceof HTMLLinkElement) Object.assign(element, { rel: 'stylesheet', href: url });
      else if (element instanceof HTMLObjectElement) element.data = url;
      else element.src = url;
      document.body.append(element);
    });
  const byFrame = (url: string): Promise<string> =>
    new Promise((resolve) => {
      const frame = document.createElement('iframe');
      frame.addEventListener('load', () => {
        let text: string | undefined;
        try {
          text = frame.contentDocument?.body.textContent ?? undefined;
        } catch {
          // From another origin.
        }
        // The error page has no readable text, nor has a dashboard on another origin. Absence is
        // visible from the requests that reached the API server.
        resolve(text?.includes('web-1') === true || frame.contentWindow?.length ? 'framed' : 'blocked');
      });
      frame.src = url;
      document.body.append(frame);
    });
  const bySocket = (url: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = new WebSocket(url.replace('http', 'ws'));
      socket.addEventListener('open', () => {
        resolve('opened');
      });
      socket.addEventListener('error', () => {
        resolve('blocked');
      });
    });
  const byEvents = (url: string): Promise<string> =>
    new Promise((resolve) => {
      const source = new EventSource(url, { withCredentials: true });
      source.addEventListener('open', () => {
        resolve('opened');
      });
      source.addEventListener('error', () => {
        source.close();
        resolve('blocked');
      });
    });
  const byForm = (url: string): Promise<string> =>
    new Promise((resolve) => {
      const frame = document.createElement('iframe');
      frame.name = `form-${String(document.querySelectorAll('iframe').length)}`;
      const form = Object.assign(document.createElement('form'), { action: url, method: 'post', target: frame.name });
      document.body.append(frame, form);
      form.submit();
      setTimeout(resolve, 500, 'blocked');
    });

  for (const target of targets) {
    const pods = `${target}/api/v1/pods`;
    const pod = `${target}/api/v1/namespaces/shop/pods/web-1`;
    const tries: Record<string, () => Promise<string>> = {
      'fetch cors': () => byFetch(pods, {}),
      'fetch no-cors': () => byFetch(pods, { mode: 'no-cors' }),
      'fetch info': () => byFetch(`${target}/dashboard/info`, {}),
      'fetch of the page': () => byFetch(`${target}/`, {}),
      'POST as text': () => byFetch(`${pod}/eviction`, { method: 'POST', mode: 'no-cors', body: '{}' }),
      DELETE: () => byFetch(pod, { method: 'DELETE' }),
      PATCH: () => byFetch(pod, { method: 'PATCH', body: '{}' }),
      form: () => byForm(`${pod}/eviction`),
      img: () => byElement('img', `${target}/favicon.svg`),
      script: () => byElement('script', pods),
      link: () => byElement('link', pods),
      object: () => byElement('object', `${target}/`),
      iframe: () => byFrame(`${target}/`),
      'iframe of the API': () => byFrame(pods),
      WebSocket: () => bySocket(`${pods}?watch=true`),
      EventSource: () => byEvents(`${pods}?watch=true`),
    };
    for (const [name, run] of Object.entries(tries)) outcomes[`${name} ${target}`] = await soon(run());
  }
  return outcomes;
}
