import Table from 'cli-table3';
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../project/entry-points.js';
import { startable } from './schedule.js';
import { stepsOf, type Step } from './steps.js';

/*
 * Runs the checks of `.ci/run`, some side by side. Prints the output of each check when the check
 * has ended, and a table at the end. After a failure no further check starts, but the checks that
 * are running continue until they end. The output of failed checks is repeated before the table.
 */
const isNightly = process.argv.includes('nightly');
const hasRig = existsSync(join(projectRoot, '../shared/rig')) || process.env['CI'] !== undefined;
const steps = stepsOf({ isNightly, hasRig });
const places = Math.max(1, availableParallelism());

const folder = mkdtempSync(join(tmpdir(), 'rx-informers-ci-'));
const running = new Map<string, ChildProcess>();
const ended = new Map<string, { readonly passed: boolean; readonly seconds: number; readonly output: string }>();
const startedAt = performance.now();

process.once('exit', () => {
  for (const child of running.values()) endGroup(child, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

await new Promise<void>((resolve) => {
  proceed(resolve);
});
const failed = steps.filter(({ name }) => ended.get(name)?.passed === false);
for (const { name } of failed) console.log(`\n=== again, what failed: ${name}\n${ended.get(name)?.output ?? ''}`);
console.log(`\n${summary()}`);
if (!hasRig) console.log('cluster tests and soaks were skipped: ../shared/rig does not exist');
console.log(
  failed.length === 0
    ? `=== all steps passed after ${secondsSince(startedAt)} s`
    : `=== failed after ${secondsSince(startedAt)} s: ${failed.map(({ name }) => name).join(', ')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

function proceed(whenDone: () => void): void {
  const passed = new Map([...ended].map(([name, end]) => [name, end.passed]));
  for (const step of startable(steps, { running: new Set(running.keys()), ended: passed }, places))
    void run(step).then(() => {
      proceed(whenDone);
    });
  if (running.size === 0) whenDone();
}

/**
 * Runs a step in a process group of its own. If the step hangs, the whole group is ended, including
 * the processes that the step started.
 */
async function run({ name, command, minutes = 15 }: Step): Promise<void> {
  const start = performance.now();
  const file = join(folder, `${steps.findIndex((step) => step.name === name)}.log`);
  const log = openSync(file, 'w');
  const child = spawn('bash', ['-c', command], { cwd: projectRoot, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  running.set(name, child);
  console.log(`=== ${name}: started`);
  let late: NodeJS.Timeout | undefined;
  const watchdog = setTimeout(() => {
    endGroup(child, 'SIGTERM');
    late = setTimeout(() => {
      endGroup(child, 'SIGKILL');
    }, 10_000);
  }, minutes * 60_000);
  const status = await new Promise<string>((resolve) => {
    child.once('error', (error) => {
      resolve(error.message);
    });
    child.once('exit', (code, signal) => {
      resolve(
        code === 0
          ? 'ok'
          : late === undefined
            ? `FAILED (${signal ?? code})`
            : `FAILED (longer than ${minutes} minutes)`,
      );
    });
  });
  clearTimeout(watchdog);
  clearTimeout(late);
  // Processes that the step left running would disturb the next steps.
  endGroup(child, 'SIGKILL');
  running.delete(name);
  const output = readFileSync(file, 'utf8');
  const seconds = secondsSince(start);
  ended.set(name, { passed: status === 'ok', seconds, output });
  console.log(`\n=== ${name}\n${output.trimEnd()}\n=== ${name}: ${status} after ${seconds} s\n`);
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function summary(): string {
  const table = new Table({ head: ['step', 'result', 'seconds'], style: { head: [], border: [], compact: true } });
  for (const { name } of steps) {
    const end = ended.get(name);
    table.push([name, end === undefined ? 'not run' : end.passed ? 'ok' : 'FAILED', end?.seconds ?? '']);
  }
  return table.toString();
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 1_000);
}
