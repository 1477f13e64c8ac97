import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { firstValueFrom, fromEvent, map, take } from 'rxjs';
import type { Image } from './image.js';

/** The parts of a Deployment from which a pod is made here. */
export interface DeploymentManifest {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly serviceAccountName: string;
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: { readonly runAsNonRoot: boolean; readonly runAsUser: number };
        readonly containers: readonly Container[];
      };
    };
  };
}

interface Container {
  readonly env: readonly {
    readonly name: string;
    readonly valueFrom: { readonly fieldRef: { readonly fieldPath: string } };
  }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly resources: { readonly limits: { readonly memory: string } };
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

/** The files that the kubelet mounts into a pod. */
export interface ServiceAccountFiles {
  readonly token: string;
  readonly authority: string;
  /** The address of the API server. */
  readonly url: URL;
}

/** A process with the environment of a container in a pod. */
export interface Pod {
  readonly port: number;
  /**
   * Requests the path of a probe, and returns status and body of the response. `undefined` if the
   * process does not listen yet.
   */
  probe(
    which: 'livenessProbe' | 'readinessProbe',
  ): Promise<{ readonly status: number; readonly body: string } | undefined>;
  /** Returns the lines that the process has logged so far. */
  log(): string;
  /** Returns the peak memory of the process, in MiB. */
  peakMemory(): number;
  /** Resolves with the exit code, or with null if a signal ended the process. */
  readonly exited: Promise<number | null>;
  /** Sends SIGTERM. Resolves with the exit code and the time until the exit, in seconds. */
  stop(): Promise<{ readonly exitCode: number | null; readonly seconds: number }>;
}

/**
 * Runs the command of an image as similarly to the kubelet as possible: with the files of the
 * ServiceAccount, the environment and the user, without capabilities and without the right to write
 * files. The process is not in a container: it shares the network and the processes of this
 * machine. Needs root.
 *
 * @param port replaces the port of the container, because all pods share one network
 */
export function startPod(
  image: Image,
  deployment: DeploymentManifest,
  account: ServiceAccountFiles,
  port: number,
): Pod {
  const { spec } = deployment.spec.template;
  const [container] = spec.containers as readonly [Container];
  const files = mkdtempSync(join(dirname(image.folder), 'serviceaccount-'));
  writeFileSync(join(files, 'token'), account.token);
  writeFileSync(join(files, 'ca.crt'), account.authority);
  writeFileSync(join(files, 'namespace'), deployment.metadata.namespace);
  const fields: Readonly<Record<string, string>> = { 'metadata.namespace': deployment.metadata.namespace };
  const environment = {
    PATH: `${image.nodeFolder}:/usr/bin:/bin`,
    KUBERNETES_SERVICE_HOST: account.url.hostname,
    KUBERNETES_SERVICE_PORT: account.url.port,
    ...Object.fromEntries(container.env.map(({ name, valueFrom }) => [name, fields[valueFrom.fieldRef.fieldPath]])),
    PORT: String(port),
  };
  const user = String(spec.securityContext.runAsUser);
  const child = spawn('unshare', ['--mount', 'sh', '-ec', script, files, user, ...image.command], {
    cwd: image.folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', (line) => lines.push(line));
  const exited = firstValueFrom(
    fromEvent(child, 'exit').pipe(
      take(1),
      map((parts) => (parts as readonly [number | null])[0]),
    ),
  );
  return {
    port,
    exited,
    log: () => lines.join('\n'),
    peakMemory: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    probe: async (which) => {
      const response = await fetch(`http://localhost:${port}${container[which].httpGet.path}`).catch(() => undefined);
      return response && { status: response.status, body: await response.text() };
    },
    stop: async () => {
      const began = performance.now();
      child.kill('SIGTERM');
      return { exitCode: await exited, seconds: (performance.now() - began) / 1000 };
    },
  };
}

/**
 * Mounts files that only this process sees, then replaces itself by the command. `/var/run` is a
 * link to `/run`.
 */
const script = `
mount -t tmpfs none /run
mkdir -p /run/secrets/kubernetes.io/serviceaccount
cp "$0"/* /run/secrets/kubernetes.io/serviceaccount/
mount -o remount,bind,ro /
user=$1
shift
exec setpriv --reuid="$user" --regid="$user" --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all "$@"
`;
