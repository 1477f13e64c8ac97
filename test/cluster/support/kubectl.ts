import { execFile } from 'node:child_process';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { Resource } from 'rx-informers';
import { resourcePath } from 'rx-informers/client';
import { apiVersionOf } from 'rx-informers/resources';
import { readKubeConfig, type Cluster } from './cluster.js';

/**
 * Returns the objects that `kubectl get` prints, in key order. kubectl is the reference for the
 * tests, because it does not use this library. If the machine has no kubectl, a plain GET request
 * without the library's client replaces it.
 */
export async function kubectlGet<T>(cluster: Cluster, resource: Resource<T>, namespace: string): Promise<readonly T[]> {
  const kind = resource.group === '' ? resource.plural : `${resource.plural}.${resource.version}.${resource.group}`;
  const parameters = [
    '--kubeconfig',
    cluster.kubeConfigFile,
    'get',
    kind,
    '--namespace',
    namespace,
    '--output',
    'json',
  ];
  const output = await promisify(execFile)('kubectl', parameters, { maxBuffer: 2 ** 28 }).then(
    ({ stdout }) => stdout,
    (error: unknown) => {
      if ((error as { readonly code?: unknown }).code !== 'ENOENT') throw error;
      return plainGet(cluster, resourcePath(resource, { namespace }));
    },
  );
  const { items } = JSON.parse(output) as { readonly items: readonly Item[] };
  return items.map((item) => normalise(item, resource)).sort(byName) as unknown as readonly T[];
}

interface Item {
  readonly metadata: { readonly name: string; readonly managedFields?: unknown };
}

/**
 * Returns an object in a form in which the output of kubectl equals a plain list. kubectl leaves
 * out `managedFields` and adds `apiVersion` and `kind` to each object. A plain list does not.
 */
function normalise(item: Item, resource: Resource<unknown>): Item {
  const { managedFields: _, ...metadata } = item.metadata;
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...item, metadata } as Item;
}

function byName(a: Item, b: Item): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

async function plainGet(cluster: Cluster, path: string): Promise<string> {
  const kubeConfig = readKubeConfig(cluster.kubeConfigFile);
  const options = {};
  await kubeConfig.applyToHTTPSOptions(options);
  const server = kubeConfig.getCurrentCluster()?.server ?? '';
  return new Promise((resolve, reject) => {
    request(new URL(server + path), options, (response) => resolve(text(response)))
      .on('error', reject)
      .end();
  });
}

/** True if kubectl is installed on this machine. */
export function hasKubectl(): Promise<boolean> {
  return promisify(execFile)('kubectl', ['version', '--client']).then(
    () => true,
    () => false,
  );
}

/**
 * Returns the columns that `kubectl get` prints for the objects of a namespace, by name. The server
 * creates this table. A column that the table lacks is undefined.
 */
export async function kubectlTable(
  { kubeConfigFile }: Cluster,
  plural: string,
  namespace: string,
): Promise<ReadonlyMap<string, Readonly<Record<string, string | undefined>>>> {
  const { stdout } = await promisify(execFile)(
    'kubectl',
    ['--kubeconfig', kubeConfigFile, 'get', plural, '--namespace', namespace],
    { maxBuffer: 2 ** 26 },
  );
  // Columns are three spaces apart, and a cell never contains two successive spaces.
  const [header = [], ...rows] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  return new Map(
    rows.map((cells) => [cells[0] ?? '', Object.fromEntries(header.map((name, index) => [name, cells[index]]))]),
  );
}
