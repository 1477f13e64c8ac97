import { createHash } from 'node:crypto';
import {
  choicesOfSchedule,
  choicesOfSeed,
  simulationPoints,
  type SimulationPoint,
} from '../../src/testing/simulate/choices.js';
import { play, type SimulatedProgram } from '../../src/testing/simulate/run.js';
import { knownSeeds } from '../../test/testing/simulate/known-seeds.js';
import { narrowBugs, plantedBugs } from '../../test/testing/simulate/planted-bugs.js';
import { publishedIncidents } from '../../test/testing/simulate/published-incidents.js';
import { websiteProgram } from '../../test/testing/simulate/website-program.js';

// Measures `simulate`: in how many seeds the planted bugs are found, whether their corrected twins
// and the website operator are green, and which bugs are lost without one choice point.
//
//   npm run task -- simulate:bars bugs [seeds] [first seed]
//   npm run task -- simulate:bars shares [seeds] [first seed]
//   npm run task -- simulate:bars twins [seeds] [first seed]
//   npm run task -- simulate:bars matrix [seeds]
//   npm run task -- simulate:bars website [schedules] [first seed]
//
// `seeds` tries the seed that is known to show each bug, the same seed of its corrected twin, and
// some schedules of the website operator.
//
//   npm run task -- simulate:bars seeds [schedules]
//
// `traces` prints a digest of the deliveries, commits, requests and choices of the first schedules.
// It must be the same in each runtime: `bun bench/studies/simulation.ts traces`.
//
//   npm run task -- simulate:bars traces [schedules] [first seed]

const bugs = { ...plantedBugs, ...narrowBugs, ...publishedIncidents };

/** For each point, the bug that should not be found without it. */
const bugOfPoint = {
  user: 'coarse watermark',
  lease: 'fixed lease time',
  latency: 'reordered writes',
  'fail-before': 'swallowed unavailability',
  'fail-after': 'retried create',
  conflict: 'swallowed conflict',
  watch: 'stale read',
  outage: 'unobserved deletion',
  crash: 'forgotten parent',
  pause: 'leader overlap',
  slice: 'read between slices',
} as const satisfies Record<SimulationPoint, string>;

interface Outcome {
  /** The number of schedules until a run failed, or undefined if none did. */
  readonly needed: number | undefined;
  readonly kind: string | undefined;
  readonly milliseconds: number;
}

async function firstFailure(
  program: SimulatedProgram,
  most: number,
  first = 1,
  points: readonly SimulationPoint[] = simulationPoints,
): Promise<Outcome> {
  const began = performance.now();
  const usual = await play(program, choicesOfSchedule([]));
  if (usual.failure) return { needed: 0, kind: usual.failure.kind, milliseconds: performance.now() - began };
  for (let index = 0; index < most; index++) {
    const { failure } = await play(program, choicesOfSeed(first + index, points), usual.state);
    if (failure) return { needed: index + 1, kind: failure.kind, milliseconds: performance.now() - began };
  }
  return { needed: undefined, kind: undefined, milliseconds: performance.now() - began };
}

const [mode = 'bugs', count, from = '1', only] = process.argv.slice(2);
const first = Number(from);

if (mode === 'bugs') {
  const most = Number(count ?? 500);
  const all: number[] = [];
  for (const [name, { buggy }] of Object.entries(bugs)) {
    if (only !== undefined && !name.includes(only)) continue;
    const { needed, kind, milliseconds } = await firstFailure(buggy, most, first);
    all.push(needed ?? Infinity);
    console.log(`${name.padEnd(28)} ${needed ?? 'not found'} (${kind ?? '-'}) ${milliseconds.toFixed(0)} ms`);
  }
  if (only !== undefined) process.exit();
  const ten = all.slice(0, 10).sort((a, b) => a - b);
  console.log(`the ten patterns: median ${((ten[4] ?? NaN) + (ten[5] ?? NaN)) / 2}, most ${ten[9]}`);
}

if (mode === 'shares') {
  const most = Number(count ?? 500);
  for (const [name, { buggy }] of Object.entries(bugs)) {
    if (only !== undefined && !name.includes(only)) continue;
    const usual = await play(buggy, choicesOfSchedule([]));
    let [failed, empty] = [0, 0];
    for (let index = 0; index < most; index++) {
      const run = await play(buggy, choicesOfSeed(first + index, simulationPoints), usual.state);
      failed += Number(run.failure !== undefined);
      empty += Number(run.choices.made.length === 0);
    }
    console.log(`${name.padEnd(28)} ${failed} of ${most} schedules fail; ${empty} have no fault`);
  }
}

if (mode === 'twins') {
  const most = Number(count ?? 10_000);
  for (const [name, { corrected }] of Object.entries(bugs)) {
    if (only !== undefined && !name.includes(only)) continue;
    const { needed, kind, milliseconds } = await firstFailure(corrected, most, first);
    if (needed !== undefined) process.exitCode = 1;
    const result = needed === undefined ? `green in ${most} schedules` : `FAILS in seed ${first + needed - 1}: ${kind}`;
    console.log(`${name.padEnd(28)} ${result}, ${milliseconds.toFixed(0)} ms`);
  }
}

if (mode === 'matrix') {
  const most = Number(count ?? 500);
  for (const point of simulationPoints) {
    if (only !== undefined && only !== point) continue;
    const others = simulationPoints.filter((each) => each !== point);
    const name = bugOfPoint[point];
    const { needed, kind } = await firstFailure(bugs[name].buggy, most, first, others);
    const result = needed === undefined ? `lost in ${most} schedules` : `still found, in ${needed} (${kind})`;
    console.log(`without ${point.padEnd(12)} ${name}: ${result}`);
  }
}

if (mode === 'website') {
  const most = Number(count ?? 1_000);
  const { needed, kind, milliseconds } = await firstFailure(websiteProgram, most, first);
  if (needed !== undefined) process.exitCode = 1;
  const result = needed === undefined ? 'green' : `FAILS in seed ${first + needed - 1}: ${kind}`;
  console.log(`website operator: ${most} schedules ${result}, ${(milliseconds / 1_000).toFixed(1)} s`);
}

if (mode === 'seeds') {
  const missed: string[] = [];
  for (const [name, { buggy, corrected }] of Object.entries(bugs)) {
    const seed = knownSeeds[name as keyof typeof bugs];
    const found = await firstFailure(buggy, 1, seed);
    const { kind } = await firstFailure(corrected, 1, seed);
    if (found.kind === undefined) missed.push(`${name}: seed ${seed} does not fail`);
    if (kind !== undefined) missed.push(`${name}: its corrected twin fails in seed ${seed}: ${kind}`);
  }
  const most = Number(count ?? 100);
  const { needed, kind } = await firstFailure(websiteProgram, most, first);
  if (needed !== undefined) missed.push(`website operator: seed ${first + needed - 1} fails: ${kind}`);
  for (const line of missed) console.log(line);
  console.log(`${Object.keys(bugs).length} bugs and their twins, ${most} schedules of the website operator`);
  if (missed.length > 0) process.exitCode = 1;
}

if (mode === 'traces') {
  const most = Number(count ?? 20);
  const programs = Object.entries(bugs).map(([name, { buggy }]) => [name, buggy] as const);
  const all = createHash('sha256');
  for (const [name, program] of [...programs, ['website operator', websiteProgram] as const]) {
    const digest = createHash('sha256');
    for (let seed = first; seed < first + most; seed++)
      digest.update((await play(program, choicesOfSeed(seed, simulationPoints))).lines.join('\n'));
    const hex = digest.digest('hex');
    all.update(hex);
    console.log(`${name.padEnd(28)} ${hex.slice(0, 16)}`);
  }
  console.log(`${'all'.padEnd(28)} ${all.digest('hex').slice(0, 16)}`);
}
