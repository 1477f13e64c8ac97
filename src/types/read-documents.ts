import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { RxInformersError } from '../kubernetes/errors.js';

/** Returns a file, or the YAML and JSON files in a folder and in its subfolders. */
export function filesOf(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ya?ml|json)$/.test(name) && !/(^|[\\/])(node_modules|\..*)[\\/]/.test(name))
    .sort()
    .map((name) => join(path, name));
}

/**
 * Reads the documents of a file. Parses no file without a CustomResourceDefinition: it may be a
 * template, which is not YAML.
 *
 * @throws `RXI_MISSING_PACKAGE` if the file is YAML, and `yaml` is not installed
 */
export async function readFile(path: string): Promise<readonly unknown[]> {
  const text = readFileSync(path, 'utf8');
  if (!text.includes('CustomResourceDefinition')) return [];
  if (/^\s*\{/.test(text)) return [JSON.parse(text) as unknown];
  const { parse } = await optional('yaml', 'reading YAML', () => import('yaml'));
  // A line that begins with --- always begins a document. One document at a time needs less memory.
  return text.split(/^---(?=\s)/m).map((document) => parse(document) as unknown);
}

/** Reads the CustomResourceDefinitions of the cluster of a context of the default kubeconfig. */
export async function readCluster(context: string): Promise<readonly unknown[]> {
  const { KubeConfig } = await optional(
    '@kubernetes/client-node',
    '--context',
    () => import('@kubernetes/client-node'),
  );
  const { kubeClient } = await import('../sources/client/node/kube-client.js');
  const { requestJson } = await import('../sources/client/kube-client.js');
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromDefault();
  kubeConfig.setCurrentContext(context);
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  return [await firstValueFrom(requestJson<unknown>(kubeClient(kubeConfig), { method: 'GET', path }))];
}

async function optional<T>(packageName: string, feature: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const message = `${feature} needs the package ${packageName}: npm install --save-dev ${packageName}`;
    throw new RxInformersError('RXI_MISSING_PACKAGE', message, { packageName, feature, cause });
  }
}
