import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { filter, firstValueFrom, fromEvent, map, merge, mergeMap, take, throwError } from 'rxjs';

export interface KubectlProxyOptions {
  readonly kubeConfigFile: string;
  /** The folder that kubectl serves below `/static/`. */
  readonly folder: string;
  /** The path at which kubectl serves the API. Default: `/`. */
  readonly apiPrefix?: string;
}

export interface KubectlProxy {
  /** The URL of the served folder. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts `kubectl proxy --www`, as users do who have no other server. If it does not start, rejects
 * with its output.
 */
export async function startKubectlProxy({
  kubeConfigFile,
  folder,
  apiPrefix = '/',
}: KubectlProxyOptions): Promise<KubectlProxy> {
  const parameters = ['--kubeconfig', kubeConfigFile, 'proxy', '--port=0', `--api-prefix=${apiPrefix}`];
  const child = spawn('kubectl', [...parameters, `--www=${folder}`, '--www-prefix=/static/'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended$ = fromEvent(child, 'exit').pipe(take(1));
  const failed$ = merge(fromEvent(child, 'error'), ended$).pipe(
    mergeMap((cause) => throwError(() => new Error('kubectl proxy did not start', { cause }))),
  );
  const address$ = fromEvent(createInterface(child.stdout), 'line', String).pipe(
    map((line) => /^Starting to serve on (\S+)$/.exec(line)?.[1]),
    filter((address) => address !== undefined),
  );
  const address = await firstValueFrom(merge(address$, failed$));
  return {
    url: `http://${address}/static/`,
    stop: async () => {
      const ended = firstValueFrom(ended$);
      child.kill('SIGTERM');
      await ended;
    },
  };
}
