import Table from 'cli-table3';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../project/entry-points.js';
import { changedFiles, stepsForChanges } from './changes.js';
import { nightlySteps } from './nightly-steps.js';
import { startable } from './schedule.js';
import { changeSteps, type Step } from './steps.js';

/*
 * Runs the checks of `.ci/run`, some side by side. Prints the output of each check when the check
 * has ended, and a table at the end. A failed check keeps back only the checks that read its files.
 * The output of failed checks is repeated before the table.
 */
const { positionals, values: options } = parseArgs({ allowPositionals: true, options: { part: { type: 'string' } } });
const isNightly = positionals[0] === 'nightly';
if (positionals.length > (isNightly ? 1 : 0) || (options.part !== undefined && !isNightly))
  throw new Error('usage: .ci/run, .ci/run nightly, or .ci/run nightly --part <number>');
const hasRig = existsSync(join(projectRoot, '../shared/rig')) || process.env['CI'] !== undefined;
const { steps, lines } = isNightly
  ? { steps: nightlySteps(options.part), lines: [] }
  : stepsForChanges(changeSteps, changedFiles());
const chosen = hasRig ? steps : steps.filter(({ needsRig }) => needsRig !== true);
for (const line of lines) console.log(line);

// A change runs with the fixed seeds, the night with new ones.
if (isNightly) process.env['SEED'] ??= String(randomInt(1, 2 ** 31));
const seed = process.env['SEED'];
console.log(seed === undefined ? 'random tests have their fixed seeds' : `SEED=${seed}`);

const processors = Math.max(1, availableParallelism());
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
const failed = chosen.filter(({ name }) => ended.get(name)?.passed === false);
const kept = chosen.filter(({ name }) => !ended.has(name));
for (const { name } of failed) console.log(`\n=== again, what failed: ${name}\n${ended.get(name)?.output ?? ''}`);
console.log(`\n${summary()}`);
if (!hasRig) console.log('steps with a real API server were skipped: ../shared/rig does not exist');
for (const { name, command } of isNightly ? failed : [])
  console.log(
    `FINDING ${name}: repeat it with SEED=${seed ?? ''} bash -c '${command.replaceAll("'", String.raw`'\''`)}'`,
  );
const isGreen = failed.length === 0 && kept.length === 0;
console.log(
  isGreen
    ? `=== all steps passed after ${secondsSince(startedAt)} s`
    : `=== failed after ${secondsSince(startedAt)} s: ${failed.map(({ name }) => name).join(', ')}`,
);
if (kept.length > 0) console.log(`not run, because an earlier step failed: ${kept.map(({ name }) => name).join(', ')}`);
process.exitCode = isGreen ? 0 : 1;

function proceed(whenDone: () => void): void {
  const passed = new Map([...ended].map(([name, end]) => [name, end.passed]));
  for (const step of startable(chosen, { running: new Set(running.keys()), ended: passed }, processors))
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
  const file = join(folder, `${chosen.findIndex((step) => step.name === name)}.log`);
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
  for (const { name } of chosen) {
    const end = ended.get(name);
    table.push([name, end === undefined ? 'not run' : end.passed ? 'ok' : 'FAILED', end?.seconds ?? '']);
  }
  return table.toString();
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 1_000);
}
