import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { aPod, createApiServer, type ApiServer } from 'rx-informers/testing';
import { useChromium } from './support/chromium.js';
import { npmEnvironment } from './support/npm-environment.js';
import { expectSoon } from './support/page-conditions.js';

const folder = fileURLToPath(new URL('../../../../test/react/react-router', import.meta.url));

/**
 * A page of React Router in framework mode: rendered on its server, sent as a stream, and hydrated.
 */
describe('a React Router page that uses the hooks, in Chromium', () => {
  const openProfile = useChromium();
  let api: ApiServer;
  let server: ChildProcess;
  let address: string;

  beforeAll(() => {
    const options = { cwd: folder, env: npmEnvironment(), stdio: 'ignore' } as const;
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], options);
    execFileSync('npx', ['react-router', 'build'], options);
  });
  beforeEach(async () => {
    api = await createApiServer();
    api.apply([aPod({ name: 'a' }), aPod({ name: 'b' }), aPod({ name: 'c', namespace: 'other' })]);
    server = spawn(process.execPath, ['serve.js', api.url], {
      cwd: folder,
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(server.stdout!, 'data')) as [Buffer];
    address = line.toString().trim();
  });
  afterEach(async () => {
    server.kill();
    await api.close();
  });

  it('is rendered on the server in its empty state, without a request to the API server', async () => {
    const requests: string[] = [];
    const counting = api.requests$.subscribe(({ path }) => requests.push(path));
    const html = await (await fetch(address)).text();
    counting.unsubscribe();
    expect(html.replaceAll('<!-- -->', '')).toContain('0 pods</h1><p>stopped loading</p><ul></ul>');
    expect(requests).toEqual([]);
  });

  it('hydrates without a warning, lists once, and is live', async () => {
    const page = await (await openProfile()).newPage();
    const complaints: string[] = [];
    const lists: string[] = [];
    page.on('console', (message) => {
      if (message.type() !== 'info' && message.type() !== 'log') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => {
      if (new URL(request.url()).pathname.startsWith('/api')) lists.push(request.url());
    });
    await page.goto(address);
    await page.getByText('watching synced').waitFor();
    await page.getByText('2 in default').waitFor();
    await expectSoon(() => page.getByRole('heading').textContent(), '2 pods');

    api.apply(aPod({ name: 'new', phase: 'Pending' }));
    await page.getByText('new Pending').waitFor();
    await expectSoon(() => page.getByRole('heading').textContent(), '3 pods');
    expect([complaints, lists.length]).toEqual([[], 1]);
  });
});
