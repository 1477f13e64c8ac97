import fc from 'fast-check';
import type { MembershipState } from 'rx-informers/controller';
import { timer } from 'rxjs';
import { Group, someKeys, type Replica } from './support/group.js';
import type { Network } from './support/link.js';

const keys = someKeys.slice(0, 300);
const hour = 3_600_000;

/** The case in which a replica gave up its keys without waiting for the end of its work. */
const gaveUp = ({ errors }: MembershipState): boolean =>
  errors.some(({ name }) => ['RXI_RENEW_DEADLINE', 'RXI_LEASE_DELETED', 'RXI_IDENTITY_IN_USE'].includes(name));

/** Returns what is wrong with the status of a state. */
const statusProblem = ({ status, owned, isSettled }: MembershipState): string | undefined => {
  if ((status.state === 'settled') !== isSettled) return 'it is settled, and its status is not, or the other way round';
  if ((status.reason === undefined) !== isSettled) return 'there is a reason exactly if something is missing';
  if (status.state === 'joining' && owned.portion > 0) return 'it owns keys before it is a member';
  return undefined;
};

/**
 * A group whose replicas work on lost keys for a while, and the keys that are worked on, in true
 * time.
 */
class Trial {
  readonly group: Group;
  readonly violations: string[] = [];
  readonly #workedOn = new Map<Replica, Set<string>>();
  #started = 0;

  constructor(seed: number) {
    this.group = new Group(seed);
  }

  start({ offset, rate, work }: { readonly offset: number; readonly rate: number; readonly work: number }): void {
    if (this.running.length >= 5) return;
    this.#started += 1;
    const working = new Set<string>();
    const replica: Replica = this.group.start(`r${this.#started}`, {
      skew: { offset, rate },
      releaseTimeout: 20_000,
      follow: (state) => {
        this.#follow(state, working, work);
      },
    });
    this.#workedOn.set(replica, working);
    this.check();
  }

  #follow(state: MembershipState, working: Set<string>, work: number): void {
    const problem = statusProblem(state);
    if (problem !== undefined) this.violations.push(`${state.identity}: ${problem}`);
    for (const key of keys) if (state.owns(key)) working.add(key);
    const lost = keys.filter((key) => state.lost.has(key) && !state.owns(key));
    const stop = (): void => {
      for (const key of lost) working.delete(key);
    };
    if (gaveUp(state)) for (const key of working) if (!state.owns(key)) working.delete(key);
    if (work === 0 || lost.length === 0) {
      stop();
    } else {
      const over$ = timer(work, this.group.clock);
      state.waitUntil(over$);
      over$.subscribe(() => {
        for (const key of lost) if (!this.#isOwnedAgain(working, key)) working.delete(key);
      });
    }
    this.check();
  }

  #isOwnedAgain(working: Set<string>, key: string): boolean {
    const replica = [...this.#workedOn].find(([, others]) => others === working)?.[0];
    return replica?.state.owns(key) === true;
  }

  get running(): readonly Replica[] {
    return this.group.replicas.filter(({ isRunning }) => isRunning);
  }

  /** No two replicas work on the same key at once. */
  check(): void {
    const owners = new Map<string, string>();
    for (const replica of this.running) {
      for (const key of this.#workedOn.get(replica) ?? []) {
        const other = owners.get(key);
        if (other !== undefined)
          this.violations.push(`${this.group.clock.now()}: ${key} by ${other} and ${replica.identity}`);
        owners.set(key, replica.identity);
      }
    }
  }

  some(index: number): Replica | undefined {
    const { running } = this;
    return running[index % running.length];
  }
}

/** An event of the trial, with the name that fast-check prints when a trial fails. */
interface Action {
  readonly name: string;
  readonly act: (trial: Trial) => void;
}

const index = fc.nat(20);
const clock = fc.record({
  offset: fc.integer({ min: 0, max: 100_000_000 }),
  rate: fc.constantFrom(0.9, 1, 1.2),
  work: fc.constantFrom(0, 0, 3_000, 12_000),
});
const toReplica = (what: string, act: (replica: Replica) => void) =>
  index.map((at): Action => ({
    name: `${what} ${at}`,
    act: (trial) => {
      const replica = trial.some(at);
      if (replica) act(replica);
    },
  }));
const ofReplica = <T>(what: string, values: readonly T[], act: (replica: Replica, value: T) => void) =>
  fc.constantFrom(...values).chain((value) => toReplica(`${what} ${String(value)}`, (replica) => act(replica, value)));
const networks: readonly Network[] = ['up', 'up', 'down', 'silent', 'deaf', 'late'];

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: clock.map((of): Action => ({ name: `start ${JSON.stringify(of)}`, act: (trial) => trial.start(of) })),
  },
  { weight: 2, arbitrary: toReplica('leave', (replica) => replica.leave()) },
  { weight: 2, arbitrary: toReplica('die', (replica) => replica.die()) },
  { weight: 2, arbitrary: toReplica('cut', ({ link }) => link.cut()) },
  {
    weight: 6,
    arbitrary: ofReplica('network', networks, ({ link }, network) => {
      link.network = network;
    }),
  },
  {
    weight: 2,
    arbitrary: ofReplica('lag', [0, 300, 4_000, 25_000], ({ link }, lag) => {
      link.lag = lag;
    }),
  },
  {
    weight: 2,
    arbitrary: ofReplica('set clock', [-5 * hour, -12_000, 12_000, 5 * hour], (replica, by) => {
      replica.setClock(by);
    }),
  },
  {
    weight: 8,
    arbitrary: fc
      .integer({ min: 1, max: 20_000 })
      .map((time): Action => ({ name: `advance ${time}`, act: ({ group }) => group.advance(time) })),
  },
);

/**
 * Lease duration, renewal deadline (until a watch that shows nothing is found out), release and
 * some periods; in the slowest clock.
 */
const bound = (15_000 + 10_000 + 20_000 + 5 * 2_400) / 0.9;

describe('membership$ with random faults', () => {
  it('never lets two replicas own a key, and each key has an owner when the faults end', () => {
    fc.assert(
      fc.property(fc.integer(), fc.array(action, { minLength: 5, maxLength: 40 }), (seed, actions) => {
        const trial = new Trial(seed);
        trial.start({ offset: 0, rate: 1, work: 0 });
        for (const { act } of actions) {
          act(trial);
          trial.check();
          expect(trial.violations.slice(0, 3)).toEqual([]);
        }
        for (const { link } of trial.running) {
          link.network = 'up';
          link.lag = 0;
        }
        trial.group.advance(bound);
        expect(trial.violations.slice(0, 3)).toEqual([]);
        const { running } = trial;
        if (running.length === 0) return;
        for (const { state } of running) {
          expect(state.members).toEqual(running.map(({ identity }) => identity).sort());
          expect(state.isSettled).toBe(true);
          expect(state.status).toEqual({ state: 'settled', reason: undefined, error: undefined });
        }
        expect(new Set(trial.group.owners).has(undefined)).toBe(false);
      }),
      // A failure is shown as it was found, because shrinking may take minutes.
      { numRuns: 15, endOnFailure: true },
    );
  });
});
