import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { createApiServer, type ApiServer } from 'rx-informers/testing';
import { filter, firstValueFrom, fromEvent, map, take, timeout, toArray } from 'rxjs';
import { hasKubectl } from './support/kubectl.js';

const here = await hasKubectl();
// Without kubectl, these tests are skipped.
const withKubectl = here ? describe : () => undefined;

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          { name: 'main', image: 'image:1', env: [{ name: 'A', value: '1' }], ports: [{ containerPort: 80 }] },
          { name: 'side', image: 'side:1' },
        ],
      },
    },
  },
};
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer', description: 'How big it is.' } } },
            },
          },
        },
      },
    ],
  },
};
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { key: '1' } };

it('kubectl is available wherever CI runs', () => {
  expect(here || process.env['CI'] === undefined).toBe(true);
});

withKubectl('kubectl against the embedded API server', () => {
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

  const start = (parameters: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
    const options = ['--kubeconfig', join(folder, 'kubeconfig'), '--cache-dir', join(folder, 'cache')];
    return spawn('kubectl', [...parameters, ...options, '--namespace', 'default'], {
      env: { ...process.env, ...environment },
    });
  };
  /** The output of kubectl on both streams; a failure is an error that contains it. */
  const run = async (
    command: string,
    { input, ...environment }: { readonly input?: object } & Readonly<Record<string, unknown>> = {},
  ): Promise<string> => {
    const child = start(command.split(' '), environment as Readonly<Record<string, string>>);
    child.stdin.end(input === undefined ? '' : JSON.stringify(input));
    const ended = firstValueFrom(fromEvent(child, 'close'));
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (child.exitCode !== 0) throw new Error(`kubectl ${command}: exit code ${child.exitCode}: ${output}${errors}`);
    return output + errors;
  };
  const withImage = (image: string): object => {
    const changed = structuredClone(deployment);
    changed.spec.template.spec.containers[0]!.image = image;
    return changed;
  };

  it('applies and creates without any flag, and merges lists as on a real cluster', async () => {
    expect(await run('apply -f -', { input: deployment })).toBe('deployment.apps/web created\n');
    expect(await run('apply -f -', { input: deployment })).toBe('deployment.apps/web unchanged\n');
    const path = '/spec/template/spec/containers/0/env/-';
    await run(`patch deployment web --type json -p [{"op":"add","path":"${path}","value":{"name":"B","value":"2"}}]`);
    expect(await run('apply -f -', { input: withImage('image:2') })).toBe('deployment.apps/web configured\n');
    const env = 'jsonpath={.spec.template.spec.containers[0].env[*].name}';
    expect((await run(`get deployment web -o ${env}`)).split(' ').sort()).toEqual(['A', 'B']);
    expect(await run('apply --server-side --force-conflicts -f -', { input: withImage('image:3') })).toContain(
      'serverside-applied',
    );
    expect(await run('create -f -', { input: configMap })).toBe('configmap/a created\n');
    await expect(run('create -f -', { input: configMap })).rejects.toThrow('configmaps "a" already exists');
  });

  it('refuses a misspelt field, in built-in and custom kinds, before anything is stored', async () => {
    const misspelt = { ...configMap, dtaa: {} };
    await expect(run('apply -f -', { input: misspelt })).rejects.toThrow(/unknown field \\?"dtaa/);
    await expect(run('create -f -', { input: misspelt })).rejects.toThrow(/unknown field \\?"dtaa/);
    await run('apply -f -', { input: definition });
    await run('wait --for=condition=Established crd/widgets.example.com');
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } };
    await expect(run('apply -f -', { input: { ...widget, spec: { sise: 1 } } })).rejects.toThrow(/unknown field.*sise/);
    expect(await run('apply -f -', { input: { ...widget, spec: { size: 1 } } })).toBe('widget.example.com/w created\n');
    expect(await run('get wd -o name')).toBe('widget.example.com/w\n');
    expect(server.objects.list({ group: '', plural: 'configmaps' })).toEqual([]);
    expect(await run('apply --validate=false -f -', { input: misspelt })).toContain('configmap/a created');
  });

  it('diff shows what an apply would change, and changes nothing', async () => {
    await run('apply -f -', { input: deployment });
    expect(await run('diff -f -', { input: deployment })).toBe('');
    await expect(run('diff -f -', { input: withImage('image:2') })).rejects.toThrow(
      /exit code 1: [^]*-\s+- image: image:1|exit code 1: [^]*\+\s+image: image:2/,
    );
    expect(await run('get deployment web -o jsonpath={.spec.template.spec.containers[0].image}')).toBe('image:1');
  });

  it('edit changes an object in an editor', async () => {
    await run('apply -f -', { input: deployment });
    expect(await run('edit deployment web', { EDITOR: 'sed -i s/image:1/image:2/' })).toBe(
      'deployment.apps/web edited\n',
    );
    expect(await run('get deployment web -o jsonpath={.spec.template.spec.containers[0].image}')).toBe('image:2');
  });

  it('explains fields and lists resources', async () => {
    expect(await run('explain deployment.spec.template.spec.containers')).toMatch(/\n\s+livenessProbe\s+<\w+>/);
    expect(await run('explain deployment.spec')).toMatch(/\n\s+replicas\s+<integer>/);
    await run('apply -f -', { input: definition });
    expect(await run('explain widgets.spec')).toMatch(/size\s+<integer>\s+How big it is\./);
    const listed = await run('api-resources --verbs=list --no-headers');
    expect(listed).toMatch(/^deployments\s+deploy\s+apps\/v1\s+true\s+Deployment$/m);
    expect(listed).toMatch(/^widgets\s+wd\s+example\.com\/v1\s+true\s+Widget$/m);
    expect(await run('api-versions')).toContain('example.com/v1\n');
  });

  it('waits for a rollout, for a condition and for a deletion', async () => {
    await run('apply -f -', { input: deployment });
    const rollout = run('rollout status deployment/web --timeout=60s');
    const available = run('wait --for=condition=Available deployment/web --timeout=60s');
    // Does what the controller of Deployments does in a cluster.
    const counts = { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };
    const status = { observedGeneration: 1, ...counts, conditions: [{ type: 'Available', status: 'True' }] };
    const response = await fetch(`${server.url}/apis/apps/v1/namespaces/default/deployments/web/status`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ status }),
    });
    expect(response.status).toBe(200);
    expect(await rollout).toContain('successfully rolled out');
    expect(await available).toContain('condition met');
    const watched = firstValueFrom(server.requests$.pipe(filter(({ query }) => query.has('watch'))));
    const gone = run('wait --for=delete deployment/web --timeout=60s');
    await watched;
    expect(await run('delete deployment web --cascade=foreground')).toContain('"web" deleted');
    await gone;
  });

  it('labels, annotates, scales, patches, replaces and deletes', async () => {
    await run('apply -f -', { input: deployment });
    expect(await run('label deployment web tier=front')).toBe('deployment.apps/web labeled\n');
    expect(await run('annotate deployment web note=1')).toContain('deployment.apps/web annotate');
    expect(await run('get deployments -l tier=front -o name')).toBe('deployment.apps/web\n');
    expect(await run('scale deployment web --replicas=7')).toBe('deployment.apps/web scaled\n');
    expect(await run('get deployment web -o jsonpath={.spec.replicas}')).toBe('7');
    for (const type of ['strategic', 'merge'])
      expect(await run(`patch deployment web --type ${type} -p {"spec":{"replicas":3}}`)).toMatch(/patched/);
    expect(await run('replace -f -', { input: withImage('image:4') })).toBe('deployment.apps/web replaced\n');
    expect(await run('describe deployment web')).toMatch(/Image:\s+image:4/);
    expect(await run('get deployments -o wide')).toMatch(/^NAME\s+.*\nweb\s/);
    expect(await run('delete deployment web')).toContain('"web" deleted');
    await expect(run('get deployment web')).rejects.toThrow(
      'Error from server (NotFound): deployments.apps "web" not found',
    );
    expect(await run('get --raw /healthz')).toBe('ok');
    expect(await run('version')).toContain('rx-informers');
    expect(await run('cluster-info')).toContain(server.url);
  });

  it('kubectl watches the embedded server', async () => {
    server.apply(configMap);
    const child = start(['get', 'configmaps', '--watch', '-o', 'jsonpath={.metadata.name}={.data.key}{"\\n"}']);
    const lines$ = fromEvent(createInterface(child.stdout), 'line').pipe(map(String), timeout(60_000));
    const first = firstValueFrom(lines$);
    const both = firstValueFrom(lines$.pipe(take(2), toArray()));
    expect(await first).toBe('a=1');
    server.apply({ ...configMap, data: { key: '2' } });
    expect(await both).toEqual(['a=1', 'a=2']);
    const ended = firstValueFrom(fromEvent(child, 'exit'));
    child.kill();
    await ended;
  });
});
