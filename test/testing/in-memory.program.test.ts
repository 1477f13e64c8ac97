import { build, stop } from 'esbuild';
import { runInNewContext } from 'node:vm';
import { sourceOf } from '../../scripts/shape/bundle.js';

/** What the standard of the web has everywhere. `process`, `require` and `Buffer` are not there. */
const browserGlobals = {
  AbortController,
  atob,
  btoa,
  clearInterval,
  clearTimeout,
  performance,
  queueMicrotask,
  setInterval,
  setTimeout,
  structuredClone,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
};

/**
 * Bundles a program as for a page, runs it without any global of Node, and returns what its promise
 * resolves to.
 */
async function inBrowser(program: string): Promise<unknown> {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { configMaps, informer, pods } from '${sourceOf('rx-informers')}';
        import { edit, resourceClient } from '${sourceOf('rx-informers/requests')}';
        import * as testing from '${sourceOf('rx-informers/testing/in-memory')}';
        globalThis.result = (async () => { ${program} })();`,
      resolveDir: process.cwd(),
    },
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
  });
  const page = { ...browserGlobals, result: Promise.resolve<unknown>(undefined) };
  runInNewContext(outputFiles[0]?.text ?? '', page);
  return JSON.parse(JSON.stringify(await page.result));
}

describe('rx-informers/testing/in-memory in a browser', () => {
  afterAll(() => stop());

  it('serves lists and watches to an informer, and every write arrives', async () => {
    const program = `
      const server = testing.createInMemoryApiServer();
      server.apply(testing.aPod({ name: 'a' }));
      const cache = informer(server.client, pods);
      const connection = cache.connect();
      await cache.whenSynced();
      server.apply(testing.aPod({ name: 'b' }));
      await cache.until('default/b', (pod) => pod !== undefined);
      const names = cache.list().map(({ metadata }) => metadata.name);
      connection.unsubscribe();
      server.stop();
      return names;`;
    await expect(inBrowser(program)).resolves.toEqual(['a', 'b']);
  });

  it('applies JSON Patches without an additional package', async () => {
    const program = `
      const server = testing.createInMemoryApiServer();
      const [settings] = server.apply(testing.aConfigMap({ name: 'settings', data: { mode: 'dark' } }));
      await edit(resourceClient(server.client, configMaps), settings, (draft) => { draft.data.mode = 'light'; });
      server.stop();
      return server.objects.get(configMaps, 'settings', 'default').data;`;
    await expect(inBrowser(program)).resolves.toEqual({ mode: 'light' });
  });

  it('waits for promises between the timers of a virtual clock', async () => {
    const program = `
      const clock = testing.virtualClock();
      const seen = [];
      clock.schedule(() => void Promise.resolve().then(() => clock.schedule(() => seen.push(clock.now()), 10)), 10);
      await clock.advanceAsync(50);
      return seen;`;
    await expect(inBrowser(program)).resolves.toEqual([20]);
  });

  it('reports that YAML requires a package', async () => {
    const program = `
      try { testing.createInMemoryApiServer().apply('kind: Pod'); } catch (error) { return error.code; }`;
    await expect(inBrowser(program)).resolves.toBe('RXI_MISSING_PACKAGE');
  });
});
