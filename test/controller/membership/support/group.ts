import { leases, type Lease } from 'rx-informers';
import { membership$, type MembershipOptions, type MembershipState } from 'rx-informers/controller';
import { createInMemoryApiServer, randomFromSeed, type InMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { Link } from './link.js';
import { skewedClock } from './skewed-clock.js';

export const namespace = 'web';
export const group = { namespace, name: 'labeller' };

/** Some keys. There are about two for each slot, which is enough to show how keys are shared. */
export const someKeys: readonly string[] = Array.from({ length: 2_000 }, (_, index) => `web/pod-${index}`);

export interface Replica {
  readonly identity: string;
  readonly states: MembershipState[];
  readonly state: MembershipState;
  readonly link: Link;
  /**
   * Sets the clock of the replica forward, or back if `by` is negative. Its timers are not
   * affected.
   */
  setClock(by: number): void;
  /** Leaves the group like a process that ends in order. */
  leave(): void;
  /** Ends the replica without a message, like a killed process. */
  die(): void;
  readonly isRunning: boolean;
}

/** A group of replicas around a server in memory, in virtual time. */
export class Group {
  readonly clock = virtualClock();
  readonly server: InMemoryApiServer;
  readonly replicas: Replica[] = [];
  readonly #random: () => number;

  constructor(seed = 1) {
    this.#random = randomFromSeed(seed);
    this.server = createInMemoryApiServer({ scheduler: this.clock, random: this.#random });
    this.server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  }

  start(
    identity: string,
    {
      skew = { offset: 0, rate: 1 },
      follow = () => {},
      ...options
    }: Partial<MembershipOptions> & {
      readonly skew?: { readonly offset: number; readonly rate: number };
      readonly follow?: (state: MembershipState) => void;
    } = {},
  ): Replica {
    const states: MembershipState[] = [];
    const link = new Link(this.server.client, this.clock);
    const ownSkew = { ...skew };
    const scheduler = skewedClock(this.clock, ownSkew);
    const state$ = membership$(link.client, { group, identity, scheduler, random: this.#random, ...options });
    const subscription = state$.subscribe((state) => {
      states.push(state);
      follow(state);
    });
    const replica: Replica = {
      identity,
      states,
      get state() {
        return states.at(-1)!;
      },
      link,
      setClock: (by) => {
        ownSkew.offset += by;
      },
      leave: () => {
        subscription.unsubscribe();
      },
      die: () => {
        link.network = 'silent';
        subscription.unsubscribe();
        link.cut();
      },
      get isRunning() {
        return !subscription.closed;
      },
    };
    this.replicas.push(replica);
    return replica;
  }

  /** Starts this many replicas, named a, b, c and so on, and waits until each has its share. */
  startAll(count: number): readonly Replica[] {
    const replicas = Array.from({ length: count }, (_, index) => this.start(String.fromCharCode(97 + index)));
    this.advance(5_000);
    return replicas;
  }

  advance(milliseconds: number): void {
    this.clock.advance(milliseconds);
  }

  get leases(): readonly Lease[] {
    return this.server.objects.list<Lease>(leases, namespace);
  }

  leaseOf(identity: string): Lease | undefined {
    return this.leases.find(({ metadata }) => metadata.name === `${group.name}-${identity}`);
  }

  ownersOf(key: string): readonly string[] {
    return this.replicas.filter(({ isRunning, state }) => isRunning && state.owns(key)).map(({ identity }) => identity);
  }

  /** Returns the owner of each of `someKeys`. Fails if a key has more than one owner. */
  get owners(): readonly (string | undefined)[] {
    return someKeys.map((key) => {
      const owners = this.ownersOf(key);
      if (owners.length > 1) throw new Error(`at ${this.clock.now()}: ${key} is owned by ${owners.join(' and ')}`);
      return owners[0];
    });
  }
}
