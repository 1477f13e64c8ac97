import { KubeConfig } from '@kubernetes/client-node';
import { randomBytes } from 'node:crypto';
import { type Resource, namespaces, type KubeClient } from 'rx-informers';
import { resourcePath, type KubeRequest } from 'rx-informers/client';
import { kubeClient } from 'rx-informers/node';
import { apiVersionOf } from 'rx-informers/resources';
import { firstValueFrom, lastValueFrom, mergeMap, from, toArray } from 'rxjs';
import { requestJson } from '../../../src/sources/client/kube-client.js';

/** An object as a test writes it, without the fields that the API server adds. */
export interface Manifest {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
  readonly [field: string]: unknown;
}

/** An API server, and the requests that tests send to it through the client of this library. */
export interface Cluster {
  readonly kubeConfigFile: string;
  readonly client: KubeClient;
  create<T>(resource: Resource<T>, manifest: Manifest): Promise<T>;
  /** Sends a merge patch. */
  patch<T>(resource: Resource<T>, object: NamedObject, patch: object): Promise<T>;
  remove(resource: Resource<unknown>, object: NamedObject): Promise<void>;
  /** Creates a namespace with a unique name. */
  createNamespace(): Promise<string>;
  /** Removes the namespaces that `createNamespace` has created. */
  cleanUp(): Promise<void>;
}

export interface NamedObject {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
}

/** @param context the kubeconfig's context; default: its current one */
export function connect(kubeConfigFile: string = currentKubeConfigFile(), context?: string): Cluster {
  const client = kubeClient(readKubeConfig(kubeConfigFile, context));
  const send = (request: KubeRequest): Promise<unknown> => firstValueFrom(requestJson(client, request));
  const created: string[] = [];

  const create = async <T>(resource: Resource<T>, manifest: Manifest): Promise<T> => {
    const { namespace } = manifest.metadata;
    const body = JSON.stringify({ apiVersion: apiVersionOf(resource), kind: resource.kind, ...manifest });
    return (await send({ method: 'POST', path: resourcePath(resource, { namespace }), headers: json, body })) as T;
  };
  const remove = async (resource: Resource<unknown>, { metadata: { namespace, name } }: NamedObject): Promise<void> => {
    await send({ method: 'DELETE', path: resourcePath(resource, { namespace, name }) });
  };
  return {
    kubeConfigFile,
    client,
    create,
    remove,
    patch: async <T>(resource: Resource<T>, { metadata: { namespace, name } }: NamedObject, patch: object) =>
      (await send({
        method: 'PATCH',
        path: resourcePath(resource, { namespace, name }),
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify(patch),
      })) as T,
    createNamespace: async () => {
      const name = uniqueName('ns');
      await create(namespaces, { metadata: { name } });
      created.push(name);
      return name;
    },
    cleanUp: async () => {
      for (const name of created.splice(0)) await remove(namespaces, { metadata: { name } });
    },
  };
}

const json = { 'content-type': 'application/json' };

/** Returns the path of the kubeconfig for the API server that all tests share. */
export function currentKubeConfigFile(): string {
  const file = process.env['KUBECONFIG'];
  if (file === undefined) throw new Error('the cluster tests need an API server; set KUBECONFIG to its kubeconfig');
  return file;
}

export function readKubeConfig(file: string, context?: string): KubeConfig {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(file);
  if (context !== undefined) kubeConfig.setCurrentContext(context);
  return kubeConfig;
}

/** Returns a name that no other test and no other run of this test uses. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${randomBytes(5).toString('hex')}`;
}

/**
 * Calls `action` for each value, a few at a time. Resolves with the results in the order of the
 * values.
 */
export function forEach<A, B>(
  values: Iterable<A>,
  action: (value: A) => Promise<B>,
  concurrency = 16,
): Promise<readonly B[]> {
  return lastValueFrom(from(values).pipe(mergeMap(action, concurrency), toArray()));
}

/** Returns a ConfigMap, the simplest kind of object. */
export function configMap(
  namespace: string,
  name: string,
  data = 'x',
  labels: Readonly<Record<string, string>> = {},
): Manifest & NamedObject {
  return { metadata: { namespace, name, labels }, data: { data } };
}
