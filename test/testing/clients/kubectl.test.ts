import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fromEvent, firstValueFrom, map, take, timeout, toArray } from 'rxjs';
import { createApiServer, type ApiServer } from '../../../src/testing/index.js';

/** The kubectl of this machine; none where it is not installed. */
function installed(): readonly string[] {
  for (const command of ['kubectl', '/usr/bin/kubectl']) {
    try {
      execFileSync(command, ['version', '--client'], { stdio: 'ignore', timeout: 20_000 });
      return [command];
    } catch {
      continue;
    }
  }
  console.log('kubectl is not installed: nothing is checked with it');
  return [];
}

const manifest = (value: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { key: value } });

describe('kubectl against the embedded API server', () => {
  let server: ApiServer;
  let folder: string;

  beforeEach(async () => {
    server = await createApiServer();
    folder = mkdtempSync(join(tmpdir(), 'rx-informers-kubectl-'));
    writeFileSync(join(folder, 'kubeconfig'), server.kubeconfig());
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const options = (): readonly string[] => [
    '--kubeconfig',
    join(folder, 'kubeconfig'),
    '--cache-dir',
    join(folder, 'cache'),
    '--namespace',
    'default',
  ];
  const run = (command: string, ...parameters: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const child = execFile(command, [...options(), ...parameters], (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`kubectl ${parameters.join(' ')}: ${stderr}`));
      });
      child.stdin?.end();
    });
  const apply = async (command: string, value: string, ...more: readonly string[]): Promise<string> => {
    const file = join(folder, 'manifest.json');
    writeFileSync(file, manifest(value));
    return run(command, 'apply', '--filename', file, ...more);
  };

  it('is told where the server is', () => {
    expect(server.kubeconfig()).toContain(server.url);
  });

  for (const command of installed()) {
    it('applies, lists, patches and deletes', async () => {
      expect(await apply(command, '1')).toBe('configmap/a created\n');
      expect(await apply(command, '2')).toBe('configmap/a configured\n');
      expect(await apply(command, '2')).toBe('configmap/a unchanged\n');
      expect(await apply(command, '3', '--server-side', '--force-conflicts')).toBe('configmap/a serverside-applied\n');
      expect(await run(command, 'get', 'configmaps', '--output', 'name')).toBe('configmap/a\n');
      expect(await run(command, 'get', 'cm')).toMatch(/^NAME\s+.*\na\s/);
      expect(await run(command, 'patch', 'configmap', 'a', '--patch', '{"data":{"key":"4"}}')).toBe(
        'configmap/a patched\n',
      );
      expect(await run(command, 'get', 'configmap', 'a', '--output', 'jsonpath={.data.key}')).toBe('4');
      expect(await run(command, 'delete', 'configmap', 'a')).toMatch(/^configmap "a" deleted/);
      await expect(run(command, 'get', 'configmap', 'a')).rejects.toThrow(
        'Error from server (NotFound): configmaps "a" not found',
      );
    }, 120_000);

    it('watches', async () => {
      server.apply(manifest('1'));
      const parameters = ['get', 'configmaps', '--watch', '--output', 'jsonpath={.metadata.name}={.data.key}{"\\n"}'];
      const child = spawn(command, [...options(), ...parameters], { stdio: ['ignore', 'pipe', 'inherit'] });
      const lines$ = fromEvent(createInterface(child.stdout), 'line').pipe(map(String), timeout(60_000));
      const first = firstValueFrom(lines$);
      const both = firstValueFrom(lines$.pipe(take(2), toArray()));
      expect(await first).toBe('a=1');
      server.apply(manifest('2'));
      expect(await both).toEqual(['a=1', 'a=2']);
      const ended = firstValueFrom(fromEvent(child, 'exit'));
      child.kill();
      await ended;
    }, 120_000);
  }
});
