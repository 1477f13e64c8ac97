import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { bundledProgram } from '../../support/bundled-program.js';

const testing = bundledProgram('src/testing/index.ts');

/** Runs a program without the optional packages; the program prints one line of JSON. */
async function without(packages: readonly string[], program: string): Promise<unknown> {
  const source = `
    import Module, { createRequire } from 'node:module';
    const original = Module._resolveFilename;
    Module._resolveFilename = function (request, ...rest) {
      if (!${JSON.stringify(packages)}.includes(request)) return original.call(this, request, ...rest);
      throw Object.assign(new Error('Cannot find module ' + request), { code: 'MODULE_NOT_FOUND' });
    };
    const testing = await import(${JSON.stringify(testing)});
    const failure = async (act) => { try { await act(); return 'no failure'; } catch (e) { return [e.code, e.message]; } };
    ${program}
    process.exit();
  `;
  const args = ['--input-type=module', '--eval', source];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 25_000 });
  return JSON.parse(stdout);
}

const all = ['yaml', 'selfsigned', 'ws'];
const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { mode: 'dark' } };

describe('the embedded API server without its optional packages', () => {
  it('stores objects and JSON text, supports JSON patches, merge patches and applies, and has a kubeconfig', async () => {
    const program = `
      const server = await testing.createApiServer();
      server.apply(${JSON.stringify(JSON.stringify(settings))});
      const url = server.url + '/api/v1/namespaces/default/configmaps/settings';
      const patch = async (type, body) =>
        (await fetch(url + '?fieldManager=me&force=true', { method: 'PATCH', headers: { 'content-type': 'application/' + type }, body })).status;
      const statuses = [
        await patch('json-patch+json', '[{"op":"add","path":"/data/a","value":"b"}]'),
        await patch('merge-patch+json', '{"data":{"mode":"light"}}'),
        await patch('apply-patch+yaml', ${JSON.stringify(JSON.stringify(settings))}),
      ];
      const kubeconfig = JSON.parse(server.kubeconfig());
      console.log(JSON.stringify([statuses, kubeconfig.kind]));
      await server.close();
    `;
    await expect(without(all, program)).resolves.toEqual([[200, 200, 200], 'Config']);
  });

  it.each([
    ['server.apply with YAML', 'yaml', `testing.createInMemoryApiServer().apply('kind: ConfigMap')`],
    ['HTTPS', 'selfsigned', 'testing.createApiServer({ tls: true })'],
  ])('names the install command of a missing package: %s needs %s', async (_feature, name, act) => {
    const program = `console.log(JSON.stringify(await failure(() => ${act})));`;
    await expect(without(all, program)).resolves.toEqual([
      'RXI_MISSING_PACKAGE',
      expect.stringContaining(`npm install --save-dev ${name}`),
    ]);
  });

  it('responds to a request with a YAML body with the install command of yaml', async () => {
    const program = `
      const server = await testing.createApiServer();
      server.apply(${JSON.stringify(settings)});
      const url = server.url + '/api/v1/namespaces/default/configmaps/settings?fieldManager=me';
      const headers = { 'content-type': 'application/apply-patch+yaml' };
      const response = await fetch(url, { method: 'PATCH', headers, body: 'kind: ConfigMap' });
      console.log(JSON.stringify([response.status, (await response.json()).message]));
      await server.close();
    `;
    await expect(without(all, program)).resolves.toEqual([500, expect.stringContaining('npm install --save-dev yaml')]);
  });

  it('refuses a WebSocket with 501 and the install command, and the watch uses HTTP', async () => {
    const program = `
      const { get } = await import('node:http');
      const server = await testing.createApiServer();
      const headers = { connection: 'Upgrade', upgrade: 'websocket', origin: server.url };
      const url = server.url + '/api/v1/pods?watch=true';
      const refusal = await new Promise((resolve) => get(url, { headers }, resolve));
      refusal.setEncoding('utf8');
      const message = (await refusal.toArray()).join('');
      const watch = await fetch(url);
      console.log(JSON.stringify([refusal.statusCode, message, watch.status]));
    `;
    await expect(without(all, program)).resolves.toEqual([
      501,
      expect.stringContaining('npm install --save-dev ws'),
      200,
    ]);
  });
});
