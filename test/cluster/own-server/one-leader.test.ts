import { configMaps, leases, type Lease } from 'rx-informers';
import { merge } from 'rxjs';
import { configMap, connect, forEach, type Cluster } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { kubectlGet } from '../support/kubectl.js';
import { startProgram, type LogLine, type ProgramProcess } from '../support/operator-process.js';
import { startRig, type Rig } from '../support/rig.js';

const objects = 9_000;
const computeFor = 2.5;
/** The default durations of `leader$`. */
const leaseDuration = 15_000;

interface Line extends LogLine {
  readonly at: number;
}

interface Replica {
  readonly program: ProgramProcess;
  readonly lines: Line[];
}

/** An interval in which a replica believed that it leads. */
interface Interval {
  readonly from: number;
  readonly to: number;
}

describe('two processes that compete for a Lease and keep the CPU busy while they lead', () => {
  let rig: Rig;
  let cluster: Cluster;
  let namespace: string;
  const replicas: Replica[] = [];

  beforeAll(async () => {
    rig = await startRig();
    cluster = connect(rig.kubeConfigFile);
    namespace = await cluster.createNamespace();
    for (const identity of ['a', 'b']) {
      const parameters = [identity, rig.kubeConfigFile, namespace, String(objects), String(computeFor)];
      const program = startProgram('test/cluster/support/busy-program.ts', parameters);
      const lines: Line[] = [];
      program.lines$.subscribe((line) => lines.push(line as Line));
      replicas.push({ program, lines });
    }
    await forEach(
      Array(objects).keys(),
      (number) => cluster.create(configMaps, configMap(namespace, `c${number}`)),
      64,
    );
    await Promise.all(replicas.map((replica) => said(replica, 'standby')));
  });
  afterAll(async () => {
    for (const { program } of replicas) program.signal('SIGKILL');
    await Promise.all(replicas.map(({ program }) => program.exited));
    await rig.stop();
  });

  it('L3: never lead at the same time, over 9,000 keys of 2.5 ms each, with the default durations', async () => {
    const leader = await leaderOf(replicas);
    const startedAt = linesOf(leader, 'leading')[0]!.at;
    // 1,000 runs keep the processor busy for 2.5 s, however late this process receives it.
    const isOver = ({ at, runs, rounds }: LogLine) =>
      (Number(at) > startedAt + 40_000 && Number(runs) > 1_000) || Number(rounds) >= 2;
    await eventually(merge(...replicas.map(({ program }) => program.lines$)), isOver, 100_000);

    const overlap = longestOverlap(replicas.map((replica) => leadershipsOf(replica)));
    const stalls = replicas.map((replica) => Math.max(0, ...numbers(linesOf(replica, 'stall'), 'longest')));
    const runs = replicas.map((replica) => Math.max(0, ...numbers(linesOf(replica, 'run'), 'runs')));
    const keys = Math.max(...replicas.flatMap((replica) => numbers(linesOf(replica, 'run'), 'keys')));
    console.info(
      `overlap of leaderships: ${overlap.toFixed(0)} ms; longest stall of an event loop: ${Math.max(...stalls).toFixed(1)} ms; ` +
        `runs: ${runs.join(' and ')}; keys: ${keys}`,
    );
    expect(overlap).toBe(0);
    for (const [index, replica] of replicas.entries()) {
      const foreign = leadershipsOf(replicas[1 - index]!);
      expect(linesOf(replica, 'run').filter(({ at }) => foreign.some(({ from, to }) => from <= at && at < to))).toEqual(
        [],
      );
    }
  });

  it('L3: a leader that was suspended for 20 s starts no run before it has detected that it lost the lease', async () => {
    const leader = await leaderOf(replicas);
    const other = replicas.find((replica) => replica !== leader)!;
    const stoppedAt = now();
    leader.program.signal('SIGSTOP');
    const [{ spec: { renewTime } = {} } = {}] = await kubectlGet<Lease>(cluster, leases, namespace);
    const tookOver = await said(other, 'leading', ({ at }) => at > stoppedAt);
    await said(other, 'stall', ({ at }) => at > stoppedAt + 20_000);
    const resumedAt = now();
    leader.program.signal('SIGCONT');
    const lost = await said(leader, 'lost', ({ at }) => at > resumedAt);
    await said(leader, 'standby', ({ at }) => at > resumedAt);

    const late = linesOf(leader, 'run').filter(({ at }) => at > resumedAt);
    console.info(
      `taken over ${Math.round(tookOver.at - stoppedAt)} ms after the leader was suspended; resumed after ` +
        `${Math.round(resumedAt - stoppedAt)} ms, loss known ${Math.round(lost.at - resumedAt)} ms later; ` +
        `its last run began ${Math.round(resumedAt - Number(lost['lastRunAt']))} ms before`,
    );
    expect(late).toEqual([]);
    expect(Number(lost['lastRunAt'])).toBeLessThan(resumedAt);
    expect(Date.parse(tookOver.time) - Date.parse(renewTime ?? '')).toBeGreaterThanOrEqual(leaseDuration);
  });
});

function now(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}

function linesOf({ lines }: Replica, message: string): readonly Line[] {
  return lines.filter((line) => line.message === message);
}

function said({ program }: Replica, message: string, condition = (_: Line) => true): Promise<Line> {
  const isIt = (line: LogLine): line is Line => line.message === message && condition(line as Line);
  return eventually(program.lines$, isIt);
}

/** The last replica that reported that it leads. */
async function leaderOf(replicas: readonly Replica[]): Promise<Replica> {
  await Promise.race(replicas.map((replica) => said(replica, 'leading')));
  const since = (replica: Replica) => linesOf(replica, 'leading').at(-1)?.at ?? 0;
  return replicas.reduce((best, replica) => (since(replica) > since(best) ? replica : best));
}

function numbers(lines: readonly Line[], field: string): readonly number[] {
  return lines.map((line) => Number(line[field]));
}

function leadershipsOf(replica: Replica): readonly Interval[] {
  return linesOf(replica, 'leading').map(({ at: from }) => {
    const lost = linesOf(replica, 'lost').find(({ at }) => at >= from);
    return { from, to: lost?.at ?? now() };
  });
}

/** The number of milliseconds in which two replicas believed at once that they lead. */
function longestOverlap([first = [], second = []]: readonly (readonly Interval[])[]): number {
  const overlaps = first.flatMap((a) => second.map((b) => Math.min(a.to, b.to) - Math.max(a.from, b.from)));
  return Math.max(0, ...overlaps);
}
