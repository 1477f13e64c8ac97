import { from, isObservable, type ObservableInput, Subscription, type Unsubscribable } from 'rxjs';
import { messageOf } from '../../kubernetes/errors.js';
import { loadScanner } from '../../sources/wire/choose-scanner.js';
import { loadListSplitter } from '../../sources/wire/list-reader.js';
import {
  createApiServerCore,
  type ApiServerCore,
  type InMemoryApiServer,
  type InMemoryApiServerOptions,
  type ServerObjects,
} from '../api-server/in-memory-api-server.js';
import type { StoredObject } from '../api-server/storage/stored-object.js';
import { randomFromSeed, virtualClock } from '../virtual-clock.js';
import { Choices, type Decide } from './choices.js';
import { endState, isCourseOfRun, stateDifferences } from './end-state.js';
import { ReplicaProcess, type LeaseTimes, type RunOfReplicas, type SimulatedReplica } from './replica.js';

/** Ends what `start` or `setup` has started. */
export type SimulationTeardown = Unsubscribable | (() => unknown) | undefined;

/** What is simulated: the part of the options that one run needs. */
export interface SimulatedProgram {
  /**
   * Starts one replica of the controllers under test, and returns what stops it. An Observable is
   * subscribed to; an error of it fails the run. Called again after a crash.
   */
  readonly start: (replica: SimulatedReplica) => SimulationTeardown | ObservableInput<unknown>;
  /** The number of replicas. Default 1. */
  readonly replicas?: number | undefined;
  /**
   * Prepares the server before the replicas start: definitions, objects, and controllers that are
   * not under test, which use `server.client` and have no faults. Returns what stops them.
   */
  readonly setup?: ((server: InMemoryApiServer) => SimulationTeardown) | undefined;
  /**
   * What the user does, in this order. When each action happens is a choice. A promise or an
   * Observable that an action returns is waited for, and its error fails the run.
   */
  readonly user?: readonly ((server: InMemoryApiServer) => unknown)[] | undefined;
  /** Conditions that hold after each commit, by their description. They return false or throw. */
  readonly invariants?: Readonly<Record<string, (objects: ServerObjects) => unknown>> | undefined;
  /** Returns false or throws if the controllers have not done their work. Default: they have. */
  readonly goal?: ((objects: ServerObjects) => unknown) | undefined;
  /**
   * Returns the part of an object that must be the same at the end of each run, or `undefined` if
   * none of it must. Default: the object. Uids, versions, generations, times, generated names,
   * leases and events never count.
   */
  readonly normalize?: ((object: StoredObject) => unknown) | undefined;
  /** Options of the server. */
  readonly server?: Omit<InMemoryApiServerOptions, 'scheduler' | 'random'> | undefined;
  /**
   * After how many milliseconds without a write the cluster counts as settled. Default 30,000. It
   * must be longer than the waits of the controllers.
   */
  readonly quietTime?: number | undefined;
}

/** Why a run failed. */
export interface Failure {
  /** Failures with the same kind count as the same failure. */
  readonly kind: string;
  readonly message: string;
}

/** A line of a timeline. */
export interface TimelineEntry {
  /** Milliseconds since the start of the run. */
  readonly at: number;
  readonly who: string;
  readonly what: string;
  /** The point, if this is a choice that is not the default. */
  readonly point: string | undefined;
}

const second = 1_000;
const userGaps = [5 * second, 0, 1, 2, 4, 50, second, 20 * second, 60 * second];
const startTimes = [0, 1, 100, 2 * second, 20 * second];
const restartTimes = [3 * second, 1, 100, 20 * second, 60 * second];
const leaseTimes: readonly LeaseTimes[] = [
  { leaseDuration: 15 * second, renewDeadline: 10 * second, retryPeriod: 2 * second },
  { leaseDuration: 6 * second, renewDeadline: 4 * second, retryPeriod: second },
  { leaseDuration: 60 * second, renewDeadline: 40 * second, retryPeriod: 10 * second },
];
const otherLease = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'kube-system', name: 'other-writer' },
};
/** How long faults happen after the last action of the user. */
const timeOfFaults = 20 * second;
/** How long the controllers may take afterwards. Retries wait for minutes. */
const patience = 20 * 60 * second;
/** Writes since the last cause, above which they are assumed never to stop. */
const maxWrites = 300;

/**
 * Runs a program with given choices.
 *
 * @param expected the end state of the run without faults; `undefined` in that run itself
 */
export async function play(program: SimulatedProgram, decide: Decide, expected?: readonly string[]): Promise<Run> {
  // They load when they are first needed, which is in real time.
  await Promise.all([loadScanner().catch(() => undefined), loadListSplitter()]);
  const run = new Run(program, decide);
  const restoreConsole = captureConsole((line) => run.log(line));
  const stopListening = onRejection((reason) => run.fail('rejection', `unhandled rejection: ${messageOf(reason)}`));
  try {
    await run.play(expected);
    return run;
  } finally {
    stopListening();
    restoreConsole();
  }
}

/** One run of a program, in virtual time. */
export class Run implements RunOfReplicas {
  readonly clock = virtualClock();
  readonly core: ApiServerCore;
  readonly choices: Choices;
  readonly lease: LeaseTimes;
  readonly timeline: TimelineEntry[] = [];
  readonly lines: string[] = [];
  failure: Failure | undefined;
  state: readonly string[] = [];
  #actor = 'cluster';
  #awayUntil = 0;
  /** Until when a choice has an effect. */
  #affectedUntil = 0;
  #lastWrite = 0;
  #lastCause = 0;
  /** The number of writes since the last cause: an action of the user, or a fault. */
  #writes = 0;
  #starting = 0;
  #isOver = false;
  readonly #processes = new Map<ReplicaProcess, Subscription>();

  constructor(
    private readonly program: SimulatedProgram,
    decide: Decide,
  ) {
    this.choices = new Choices(decide);
    this.core = createApiServerCore({ ...program.server, scheduler: this.clock, random: randomFromSeed(1) });
    this.lease = this.choices.choose('lease', 'durations', leaseTimes);
    if (this.lease !== leaseTimes[0]) this.note('cluster', `leases last ${this.lease.leaseDuration} ms`, 'lease');
  }

  get hasFailed(): boolean {
    return this.failure !== undefined;
  }

  get isAway(): boolean {
    return this.clock.now() < this.#awayUntil;
  }

  async play(expected?: readonly string[]): Promise<void> {
    const { server, storage } = this.core;
    const { setup, replicas = 1, user = [] } = this.program;
    const environment = this.as('setup', () => toSubscription(setup?.(server)));
    const commits = storage.commits$.subscribe(({ resource, event }) =>
      this.#committed(resource, event.type, event.key),
    );
    for (let index = 0; index < replicas; index++) this.#startLater(String.fromCharCode(97 + index), 1);
    for (const [index, act] of user.entries()) await this.#userActs(`action ${index + 1}`, act);
    await this.#advance(timeOfFaults);
    this.choices.isCalm = true;
    await this.#settle(expected);
    await this.#stop(environment);
    commits.unsubscribe();
  }

  fail(kind: string, message: string): void {
    if (this.#isOver || this.failure !== undefined) return;
    this.failure = { kind, message };
    this.note('simulate', message);
  }

  note(who: string, what: string, point?: string): void {
    if (point !== undefined) this.#caused();
    this.timeline.push({ at: this.clock.now(), who, what, point });
    this.trace(who, point === undefined ? what : `${what} (${point})`);
  }

  trace(who: string, what: string): void {
    this.lines.push(`${this.clock.now()} ${who} ${what}`);
  }

  /** Adds a line of the console. The trace lacks it, because some warnings come only once. */
  log(line: string): void {
    this.timeline.push({ at: this.clock.now(), who: 'console', what: line.slice(0, 200), point: undefined });
  }

  affect(milliseconds: number): void {
    this.#affectedUntil = Math.max(this.#affectedUntil, this.clock.now() + milliseconds);
  }

  as<T>(actor: string, act: () => T): T {
    const outer = this.#actor;
    this.#actor = actor;
    try {
      return act();
    } finally {
      this.#actor = outer;
    }
  }

  outage({ compact, away }: { readonly compact: boolean; readonly away: number }, when: string): void {
    const history = compact ? ' and loses its history' : '';
    this.note('cluster', `the server restarts${history}, and is away for ${away} ms, after ${when}`, 'outage');
    this.#awayUntil = this.clock.now() + away;
    this.affect(away);
    this.core.server.restart();
    if (!compact) return;
    // The history is lost at the end, so that what was written meanwhile is in no watch. Another
    // write follows it, as in any cluster, because the last version is always kept.
    this.clock.schedule(() => {
      this.core.server.apply(otherLease);
      this.core.server.restart({ compact });
    }, away);
  }

  #caused(): void {
    this.#lastCause = this.clock.now();
    this.#writes = 0;
  }

  #startLater(slot: string, start: number): void {
    const [point, times] = start === 1 ? (['user', startTimes] as const) : (['crash', restartTimes] as const);
    const wait = this.choices.choose(point, `start of ${slot}`, times);
    if (wait !== times[0]) this.note(slot, `starts after ${wait} ms`, point);
    this.#starting += 1;
    this.clock.schedule(() => {
      this.#starting -= 1;
      this.#start(slot, start);
    }, wait);
  }

  #start(slot: string, start: number): void {
    this.#caused();
    const process = new ReplicaProcess(this, slot, start, () => this.#startLater(slot, start + 1));
    this.note(slot, `starts as ${process.replica.identity}`);
    const running = new Subscription();
    this.#processes.set(process, running);
    this.#try(`start of ${slot}`, () => {
      const started = this.program.start(process.replica);
      if (!isInput(started)) {
        running.add(toSubscription(started));
        return;
      }
      const failed = (error: unknown): void => {
        if (!process.isDead) this.fail('error', `replica ${slot} ended with an error: ${messageOf(error)}`);
      };
      running.add(from(started).subscribe({ error: failed }));
    });
  }

  async #userActs(name: string, act: (server: InMemoryApiServer) => unknown): Promise<void> {
    const gap = this.choices.choose('user', name, userGaps);
    if (gap !== userGaps[0]) this.note('user', `${name} comes after ${gap} ms`, 'user');
    await this.#advance(gap);
    if (this.failure) return;
    this.note('user', name);
    this.#caused();
    let isPending = true as boolean;
    this.#try(`the user's ${name}`, () => {
      const result = this.as('user', () => act(this.core.server));
      const done = (): void => {
        isPending = false;
      };
      if (!isInput(result)) {
        done();
        return;
      }
      from(result).subscribe({
        error: (error: unknown) => this.fail('error', `the user's ${name} failed: ${messageOf(error)}`),
        complete: done,
      });
    });
    const end = this.clock.now() + patience;
    for (let wait = 1; isPending && this.clock.now() < end; wait = Math.min(2 * wait, second)) {
      await this.#advance(wait);
      isPending &&= !this.hasFailed;
    }
    if (isPending) this.fail('error', `the user's ${name} did not end`);
  }

  #committed(resource: string, type: string, key: string): void {
    const what = `${type} ${resource} ${key}`;
    if (isCourseOfRun(resource)) {
      this.trace(this.#actor, what);
    } else {
      this.note(this.#actor, what);
      this.#lastWrite = this.clock.now();
      this.#writes += 1;
      if (this.#writes > maxWrites) this.fail('writes', writesGoOn(this.#writes, this.#lastCause));
    }
    for (const [name, holds] of Object.entries(this.program.invariants ?? {})) {
      const problem = problemOf(() => holds(this.core.server.objects));
      if (problem !== undefined) this.fail(`invariant ${name}`, `the invariant does not hold: ${name}${problem}`);
    }
  }

  /** Waits until the writes have stopped, and checks the end. */
  async #settle(expected: readonly string[] | undefined): Promise<void> {
    const { quietTime = 30 * second, goal = () => true, normalize = (object) => object } = this.program;
    const calmSince = Math.max(this.clock.now(), this.#affectedUntil);
    while (!this.failure) {
      await this.#advance(second);
      const quietSince = Math.max(this.#lastWrite, this.#affectedUntil, this.clock.now() * Number(this.#starting > 0));
      const isOverdue = this.clock.now() > calmSince + patience;
      if (this.clock.now() < quietSince + quietTime) {
        if (isOverdue) this.fail('writes', writesGoOn(this.#writes, this.#lastCause));
        continue;
      }
      this.state = endState(this.core.storage, normalize);
      const unmet = problemOf(() => goal(this.core.server.objects));
      const differences = expected === undefined ? [] : stateDifferences(expected, this.state);
      if (unmet === undefined && differences.length === 0) return;
      if (!isOverdue) continue;
      if (unmet !== undefined) this.fail('goal', `the goal is not met${unmet}`);
      else this.fail('end-state', `the end state differs from that without faults\n  ${differences.join('\n  ')}`);
    }
  }

  async #stop(environment: Subscription): Promise<void> {
    const living = [...this.#processes].filter(([process]) => !process.isDead);
    for (const [{ replica }, running] of living) this.#try(`stop of ${replica.identity}`, () => running.unsubscribe());
    for (let left = 12; left > 0 && !this.failure; left--) await this.#advance(5 * second);
    const failed = this.failure;
    if (failed) for (const [process] of this.#processes) process.kill();
    this.#try('stop of setup', () => environment.unsubscribe());
    this.core.server.stop();
    for (let left = 60; left > 0 && this.clock.timers > 0 && !this.failure; left--) await this.#advance(10 * second);
    if (this.clock.timers > 0) this.fail('timers', `${this.clock.timers} timers were left after the replicas stopped`);
    this.#isOver = true;
    // A crashed replica runs no code. Its teardown only frees what is outside of the simulation.
    for (const [process, running] of this.#processes) {
      process.kill();
      this.#try('teardown', () => running.unsubscribe());
    }
  }

  async #advance(milliseconds: number): Promise<void> {
    const end = this.clock.now() + milliseconds;
    do {
      try {
        await this.clock.advanceAsync(Math.min(second, end - this.clock.now()));
      } catch (error) {
        this.fail('error', `a replica threw ${messageOf(error)}`);
      }
    } while (this.clock.now() < end && !this.failure);
  }

  #try(what: string, act: () => unknown): void {
    try {
      act();
    } catch (error) {
      this.fail('error', `${what} threw ${messageOf(error)}`);
    }
  }
}

function writesGoOn(writes: number, since: number): string {
  return `the writes do not stop: ${writes} since the last action or fault, at ${since / second} s`;
}

/** Returns why a condition does not hold, as the rest of a message; `undefined` if it holds. */
function problemOf(condition: () => unknown): string | undefined {
  try {
    return condition() === false ? '' : undefined;
  } catch (error) {
    return `: ${messageOf(error)}`;
  }
}

function isInput(value: unknown): value is ObservableInput<unknown> {
  return isObservable(value) || typeof (value as Partial<PromiseLike<unknown>> | undefined)?.then === 'function';
}

function toSubscription(teardown: SimulationTeardown): Subscription {
  return new Subscription(() => {
    if (typeof teardown === 'function') return void teardown();
    teardown?.unsubscribe();
  });
}

interface RejectionEvents {
  on?(event: 'unhandledRejection', listener: (reason: unknown) => void): void;
  off?(event: 'unhandledRejection', listener: (reason: unknown) => void): void;
}

/** Calls `listener` for each promise that is rejected without a handler, in Node and Bun. */
function onRejection(listener: (reason: unknown) => void): () => void {
  const { process } = globalThis as { readonly process?: RejectionEvents };
  process?.on?.('unhandledRejection', listener);
  return () => process?.off?.('unhandledRejection', listener);
}

/** Passes warnings and errors to `write`, because faults cause many of them. */
function captureConsole(write: (line: string) => void): () => void {
  const { warn, error } = console;
  const capture = (...values: readonly unknown[]): void => write(values.map(messageOf).join(' '));
  Object.assign(console, { warn: capture, error: capture });
  return () => Object.assign(console, { warn, error });
}
