import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { isIPv6 } from 'node:net';
import { RxInformersError } from '../../../kubernetes/errors.js';
import type { KubeConfigCluster, KubeConfigLike } from './credentials.js';

/** The credentials of the ServiceAccount of a pod. */
export interface InClusterConfig extends KubeConfigLike {
  /** The namespace of the pod. */
  readonly namespace: string;
}

/**
 * Returns the credentials of the ServiceAccount of this pod. With them, a program in a pod does not
 * need `@kubernetes/client-node`.
 *
 * The address is that of `KUBERNETES_SERVICE_HOST` and `KUBERNETES_SERVICE_PORT`. The certificates
 * of the CA, the token and the namespace are files in
 * `/var/run/secrets/kubernetes.io/serviceaccount`.
 *
 * **Guarantees**: CA and token are read for each request, and once for requests that begin
 * together. So a rotated token is used at once.
 * **Does not guarantee**: that the ServiceAccount has any rights.
 *
 * @param folder the folder with the files of the ServiceAccount; tests use another one
 * @returns credentials for {@link kubeClient} and {@link kubeCredentials}
 * @throws `RXI_NOT_IN_CLUSTER` if a variable is not set or a file is missing
 * @example
 * import { informer, pods } from 'rx-informers';
 * import { inCluster, kubeClient } from 'rx-informers/node';
 *
 * const account = inCluster();
 * const podInformer = informer(kubeClient(account), pods, { namespace: account.namespace });
 */
export function inCluster(folder = '/var/run/secrets/kubernetes.io/serviceaccount'): InClusterConfig {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  if (!host || !port) throw notInCluster(`KUBERNETES_SERVICE_${host ? 'PORT' : 'HOST'}`);
  const cluster: KubeConfigCluster = {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    caFile: `${folder}/ca.crt`,
  };
  for (const name of ['ca.crt', 'token']) readText(folder, name);
  return {
    namespace: readText(folder, 'namespace'),
    getCurrentCluster: () => cluster,
    applyToHTTPSOptions(options: RequestOptions) {
      options.headers = { authorization: `Bearer ${readText(folder, 'token')}` };
      return Promise.resolve();
    },
    getCurrentUser: () => ({ name: 'the ServiceAccount of the pod' }),
  };
}

function readText(folder: string, name: string): string {
  try {
    return readFileSync(`${folder}/${name}`, 'utf8').trim();
  } catch (cause) {
    throw notInCluster(`${folder}/${name}`, cause);
  }
}

function notInCluster(missing: string, cause?: unknown): RxInformersError<'RXI_NOT_IN_CLUSTER'> {
  const message = `${missing} is missing: this program does not run in a pod with a ServiceAccount token; elsewhere, load a KubeConfig of @kubernetes/client-node with loadFromDefault()`;
  return new RxInformersError('RXI_NOT_IN_CLUSTER', message, { missing, cause });
}
