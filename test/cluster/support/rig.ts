import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { defer, firstValueFrom, fromEvent, map, race, take, timer, repeat } from 'rxjs';
import { eventually } from './eventually.js';

/** A test API server that can be killed, paused and compacted. */
export interface Rig {
  readonly kubeConfigFile: string;
  /** Kills the API server (-9). Resolves when it answers again, with the same port and data. */
  restart(): Promise<void>;
  /** Makes etcd compact all versions before the current one. */
  compact(): Promise<void>;
  /** Pauses the API server. Connections stay open, but no more data arrives. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

export interface RigOptions {
  /**
   * The kind of server. `kube120` is a complete kube-apiserver 1.20, with RBAC and without
   * streaming lists. `rig` is a recent API server. Default: `rig`.
   */
  readonly kind?: 'rig' | 'kube120';
  /** Flags for the API server. */
  readonly flags?: readonly string[];
  /**
   * The folder of the server's data, which stays when the server stops. Default: a new folder,
   * which is removed.
   */
  readonly runDirectory?: string;
}

/** The required fields of `rig.json`. */
interface RigFile {
  readonly kubeconfig: string;
  readonly etcd: string;
  readonly pids: { readonly up: number; readonly apiserver: number };
}

/**
 * Starts an API server for one test with `$RIG/up.sh`. The script runs in the foreground of a child
 * process, because only such a server can be restarted, and the server ends with that process.
 */
export async function startRig({ kind = 'rig', flags = [], ...input }: RigOptions = {}): Promise<Rig> {
  const folder = process.env['RIG'];
  if (folder === undefined)
    throw new Error('these tests start an API server of their own; set RIG to the folder of its up.sh');
  const { runDirectory = mkdtempSync(join(tmpdir(), 'rx-informers-rig-')) } = input;
  const command = [join(folder, 'up.sh'), '--kind', kind, '--run-dir', runDirectory, '--', ...flags];
  // If this process is killed, the server is stopped, too.
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', ...command], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended$ = fromEvent(child, 'exit').pipe(take(1));
  const lines = createInterface(child.stdout);
  const ready = await firstValueFrom(
    race(fromEvent(lines, 'line', String).pipe(map((line) => line.startsWith('READY'))), ended$.pipe(map(() => false))),
  );
  if (!ready) throw new Error(`${folder}/up.sh --kind ${kind} did not start`);

  const stop = async (): Promise<void> => {
    const ended = firstValueFrom(ended$);
    child.kill('SIGTERM');
    await ended;
    if (input.runDirectory === undefined) rmSync(runDirectory, { recursive: true, force: true });
  };
  const signal = (name: NodeJS.Signals) => () => void process.kill(readRig(runDirectory).pids.apiserver, name);
  return {
    kubeConfigFile: readRig(runDirectory).kubeconfig,
    restart: () => restart(runDirectory),
    compact: () => compact(runDirectory),
    freeze: signal('SIGSTOP'),
    thaw: signal('SIGCONT'),
    stop,
  };
}

async function restart(runDirectory: string): Promise<void> {
  const { pids } = readRig(runDirectory);
  process.kill(pids.up, 'SIGUSR1');
  // `up.sh` overwrites the file when the API server answers again.
  const file$ = defer(() => [readRig(runDirectory)]).pipe(repeat({ delay: () => timer(20) }));
  await eventually(file$, (rig) => rig.pids.apiserver !== pids.apiserver);
}

async function compact(runDirectory: string): Promise<void> {
  const { etcd } = readRig(runDirectory);
  const post = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(etcd + path, { method: 'POST', body: JSON.stringify(body) });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`etcd: ${JSON.stringify(answer)}`);
    return answer;
  };
  const anyKey = Buffer.from('any').toString('base64');
  const { header } = (await post('/v3/kv/range', { key: anyKey })) as {
    readonly header: { readonly revision: string };
  };
  await post('/v3/kv/compaction', { revision: header.revision, physical: true });
}

function readRig(runDirectory: string): RigFile {
  return JSON.parse(readFileSync(join(runDirectory, 'rig.json'), 'utf8')) as RigFile;
}
