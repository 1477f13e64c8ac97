import { execFile } from 'node:child_process';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { resourcePath, apiVersionOf, type Resource } from 'rx-informers';
import { readKubeConfig, type Cluster } from './cluster.js';

/**
 * What `kubectl get` says, in key order: the judge who does not use this library. Where there is no kubectl on the machine,
 * one plain GET without the library's client takes its place.
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

/** kubectl leaves `managedFields` out and puts `apiVersion` and `kind` in; a plain list does neither. */
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

/** Whether there is a kubectl on this machine. */
export function hasKubectl(): Promise<boolean> {
  return promisify(execFile)('kubectl', ['version', '--client']).then(
    () => true,
    () => false,
  );
}
