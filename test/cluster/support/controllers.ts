import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { firstValueFrom, fromEvent, map, race, take } from 'rxjs';
import { startRig, type Rig } from './rig.js';

/**
 * Starts a complete Kubernetes 1.20 with its controllers, its scheduler, and a program that runs
 * pods as a kubelet does. `stop` ends all of them.
 *
 * The script detaches its processes. So a shell waits for the end of its input and ends them then,
 * also if this process is killed.
 */
export async function startRigWithControllers(nodes = 3): Promise<Rig> {
  const runDirectory = mkdtempSync(join(tmpdir(), 'rx-informers-controllers-'));
  const rig = await startRig({ kind: 'kube120', runDirectory });
  const script = join(process.env['RIG'] ?? '', 'controllers/controllers-up.sh');
  const [KCM_PORT, SCHED_PORT] = [await freePort(), await freePort()];
  const shell = spawn(
    'bash',
    ['-c', '"$0" "$1" "$2"; cat >/dev/null; "$0" --down "$1"', script, runDirectory, String(nodes)],
    {
      env: { ...process.env, KCM_PORT: String(KCM_PORT), SCHED_PORT: String(SCHED_PORT) },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const ended$ = fromEvent(shell, 'exit').pipe(take(1));
  const stop = async (): Promise<void> => {
    const ended = firstValueFrom(ended$);
    shell.stdin.end();
    await ended;
    await rig.stop();
    rmSync(runDirectory, { recursive: true, force: true, maxRetries: 5 });
  };
  const isReady = await firstValueFrom(
    race(
      fromEvent(createInterface(shell.stdout), 'line', String).pipe(map((line) => line.startsWith('READY'))),
      ended$.pipe(map(() => false)),
    ),
  );
  if (isReady) return { ...rig, stop };
  await stop();
  throw new Error(`${script} did not start the controllers`);
}

let tried = 0;

/** Returns a port below those of outgoing connections, which could take it before it is used. */
async function freePort(): Promise<number> {
  for (;;) {
    // Workers of Jest have successive process numbers. Each has eight ports of its own.
    const port = 20_000 + ((8 * process.pid + tried++) % 12_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    server.close();
    if (isFree) return port;
  }
}
