import type { Collection } from 'rx-informers';
import { isAlreadyExists, isConflict, isNotFound } from 'rx-informers/requests';
import { debounceTime, firstValueFrom, merge, startWith, timeout } from 'rxjs';
import type { Cluster } from '../../support/cluster.js';
import { actions, furnish } from './actions.js';
import { contradictions, naiveAnswers } from './answers.js';
import { comparedNumbers, differencesOf, reasonFor, type Difference, type Reason } from './differences.js';
import { plantedFaults } from './faults.js';
import { printedDifferences } from './printed.js';
import { programOf, type Program } from './program.js';
import { inputsOf, readServer, stateOf, type Inputs } from './state.js';

export interface ChurnOptions {
  readonly cluster: Cluster;
  readonly random: () => number;
  /** Ends after this number of steps, or after this time. */
  readonly steps: number;
  readonly seconds: number;
}

/** What a churn found. */
export interface ChurnReport {
  readonly steps: number;
  readonly seconds: number;
  /** How often each action was taken. */
  readonly taken: Readonly<Record<string, number>>;
  /** The numbers of statements of the server that were compared, by topic. */
  readonly compared: Readonly<Record<string, number>>;
  /** Differences that no reason explains, with the step before them. */
  readonly unexplained: readonly string[];
  /** The number of differences that are expected, by reason. */
  readonly expected: Readonly<Record<string, number>>;
  /** The number of callbacks in which all answers were checked, and the contradictions in them. */
  readonly callbacks: number;
  readonly glitches: readonly string[];
  /** The number of differences, or of glitches, that each planted fault caused. */
  readonly found: Readonly<Record<string, number>>;
}

/** Milliseconds without any event after which the controllers count as idle. */
const quietTime = 300;
/** Milliseconds after which a difference counts as permanent. */
const patience = 20_000;
/** Seconds beyond the limit, in which a slow machine may take the actions that are left. */
const extraSeconds = 120;

/**
 * Changes objects in two namespaces at random. After each step, waits until the controllers are
 * idle, and compares the answers of derived collections and of programs with planted faults with
 * what the controllers wrote.
 */
export async function churn({ cluster, random, ...limit }: ChurnOptions): Promise<ChurnReport> {
  const namespaces = [await cluster.createNamespace(), await cluster.createNamespace()];
  const inputs = inputsOf(cluster.client);
  const report = new Report();
  const program = programOf(inputs);
  const watched = merge(...Object.values(inputs).map(({ changes$ }) => changes$)).subscribe();
  watched.add(
    program.notifications$.subscribe(() => {
      const found = contradictions(program.answers(namespaces), naiveAnswers(stateOf(inputs, namespaces)));
      report.addCallback(found);
    }),
  );
  const faulty = plantedFaults.map((fault) => ({ ...fault, program: fault.plant(inputs, cluster.client) }));
  for (const { name, shows, program: planted } of faulty) {
    watched.add(
      planted.notifications$.subscribe(() => {
        if (shows === 'at rest') return;
        const found = contradictions(planted.answers(namespaces), naiveAnswers(stateOf(inputs, namespaces)));
        report.addFound(name, found.length);
      }),
    );
  }
  const scene = { cluster, namespaces, inputs, program, faulty };
  await Promise.all(Object.values(inputs).map((input) => input.whenSynced()));

  await furnish(cluster, namespaces);
  const began = performance.now();
  const spent = (): number => (performance.now() - began) / 1000;
  const names = Object.keys(actions);
  const isOver = (): boolean =>
    (report.steps >= limit.steps || spent() > limit.seconds) &&
    (report.hasTaken(names) || spent() > limit.seconds + extraSeconds);
  const deck = deckOf(names, random);
  while (!isOver()) {
    const name = deck();
    const state = stateOf(inputs, namespaces);
    const target = await actions[name]?.({ cluster, namespaces, state, random }).catch(ignoreRace);
    if (target === undefined) continue;
    report.addStep(name);
    const found = await settle(scene, report);
    report.addUnexplained(found.map((difference) => `step ${report.steps}, ${name} ${target}: ${textOf(difference)}`));
  }
  watched.unsubscribe();
  return report.result(spent());
}

interface Scene {
  readonly cluster: Cluster;
  readonly namespaces: readonly string[];
  readonly inputs: Inputs;
  readonly program: Program;
  readonly faulty: readonly { readonly name: string; readonly shows: string; readonly program: Program }[];
}

/** Compares when the controllers are idle, until no difference is left, or patience ends. */
async function settle(scene: Scene, report: Report): Promise<readonly Difference[]> {
  const { cluster, namespaces, inputs, program, faulty } = scene;
  const deadline = performance.now() + patience;
  for (;;) {
    await idle(inputs);
    const server = await readServer(cluster.client, namespaces);
    const differences = differencesOf(program.answers(namespaces), server);
    const isExplained = (difference: Difference): boolean => reasonFor(difference, server) !== undefined;
    // The programs with faults are compared in the same moment, so a delay is no find.
    const planted = faulty.map(({ name, program: { answers } }) => {
      const found = differencesOf(answers(namespaces), server).filter((difference) => !isExplained(difference));
      return [name, found.length] as const;
    });
    // Programs are slow to start, so kubectl prints the namespaces in turn.
    const turn = namespaces[report.steps % namespaces.length] ?? '';
    const printed = await printedDifferences(cluster, turn, stateOf(inputs, [turn]));
    const unexplained = [...differences.filter((difference) => !isExplained(difference)), ...printed.differences];
    if (unexplained.length > 0 && performance.now() < deadline) continue;
    report.addExpected(differences.map((difference) => reasonFor(difference, server)));
    report.addCompared({ ...comparedNumbers(server), 'lines of kubectl': printed.lines });
    if (unexplained.length === 0) for (const [name, number] of planted) report.addFound(name, number);
    return unexplained;
  }
}

/** Resolves when no object has changed for a while. */
export async function idle(inputs: Readonly<Record<string, Collection<unknown>>>): Promise<void> {
  const changes$ = merge(...Object.values(inputs).map((input) => input.changes$));
  await firstValueFrom(changes$.pipe(startWith(undefined), debounceTime(quietTime), timeout({ first: patience })));
}

/** Returns all values in random order, then all again, so that each is drawn early. */
function deckOf<V>(values: readonly V[], random: () => number): () => V {
  let deck: V[] = [];
  return () => {
    if (deck.length === 0) deck = [...values];
    return deck.splice(Math.floor(random() * deck.length), 1)[0] as V;
  };
}

/** An object that an action chose may have changed or gone since, or its new name may be taken. */
function ignoreRace(error: unknown): undefined {
  if (isNotFound(error) || isConflict(error) || isAlreadyExists(error)) return undefined;
  throw error;
}

function textOf({ about, of, statedBy, statement }: Difference): string {
  return `${about} of ${of}: only the ${statedBy} states "${statement}"`;
}

class Report {
  steps = 0;
  #callbacks = 0;
  readonly #taken = new Map<string, number>();
  readonly #compared = new Map<string, number>();
  readonly #expected = new Map<string, number>();
  readonly #found = new Map<string, number>(plantedFaults.map(({ name }) => [name, 0]));
  readonly #unexplained: string[] = [];
  readonly #glitches: string[] = [];

  hasTaken(names: readonly string[]): boolean {
    return names.every((name) => this.#taken.has(name));
  }

  addStep(action: string): void {
    this.steps += 1;
    add(this.#taken, action, 1);
  }

  addCallback(contradicting: readonly string[]): void {
    this.#callbacks += 1;
    this.#glitches.push(...contradicting);
  }

  addFound(fault: string, number: number): void {
    add(this.#found, fault, number);
  }

  addUnexplained(texts: readonly string[]): void {
    this.#unexplained.push(...texts);
  }

  addExpected(reasons: readonly (Reason | undefined)[]): void {
    for (const reason of reasons) if (reason !== undefined) add(this.#expected, reason, 1);
  }

  addCompared(numbers: Readonly<Record<string, number>>): void {
    for (const [name, number] of Object.entries(numbers)) add(this.#compared, name, number);
  }

  result(seconds: number): ChurnReport {
    return {
      steps: this.steps,
      seconds: Math.round(seconds),
      taken: Object.fromEntries(this.#taken),
      compared: Object.fromEntries(this.#compared),
      unexplained: this.#unexplained,
      expected: Object.fromEntries(this.#expected),
      callbacks: this.#callbacks,
      glitches: this.#glitches,
      found: Object.fromEntries(this.#found),
    };
  }
}

function add(counts: Map<string, number>, name: string, number: number): void {
  counts.set(name, (counts.get(name) ?? 0) + number);
}
