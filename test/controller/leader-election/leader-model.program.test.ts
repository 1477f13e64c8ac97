import fc from 'fast-check';
import { leader$, type Logger } from 'rx-informers/controller';
import {
  createInMemoryApiServer,
  randomFromSeed,
  virtualClock,
  type VirtualClock,
  serverFaults,
} from 'rx-informers/testing';
import type { Subscription } from 'rxjs';
import { leaseName } from './support/election.js';
import { network, type Network } from './support/network.js';
import { skewed } from './support/skewed-clock.js';

const hour = 3_600_000;
const ignore = (): void => {};
const fault = fc.constantFrom('refuse', '500', '409', '429', 'stall', 'none');
/** 9 means the present leader: faults of the leader matter most. */
const of = fc.oneof(fc.nat({ max: 3 }), fc.constant(9));
const event = fc.record({
  after: fc.oneof(fc.integer({ min: 0, max: 4_000 }), fc.integer({ min: 10_000, max: 25_000 })),
  what: fc.oneof(
    { weight: 8, arbitrary: fc.record({ type: fc.constant('outage' as const), of }) },
    { weight: 4, arbitrary: fc.record({ type: fc.constant('all back' as const), of: fc.constant(0) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('kill' as const), of }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('stop' as const), of }) },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('set clock' as const),
        of,
        by: fc.oneof(fc.integer({ min: -100_000, max: 100_000 }), fc.constantFrom(-5 * hour, 5 * hour)),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('set clock during a request' as const),
        of,
        by: fc.constantFrom(-5 * hour, -20_000, 5 * hour),
        isThenCutOff: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('fault' as const), of: fc.constant(0), fault }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('restart' as const), of: fc.constant(0) }) },
  ),
});

/** One of the competing processes: a new identity with each start, as pods have. */
class Process {
  isLeading = false;
  /** True if it leads, according to its log. */
  isLoggedAsLeading = false;
  clock = 0;
  /** Happens while the next response is in flight. */
  duringRequest: (() => void) | undefined;
  #lifetime: Subscription | undefined;
  #network: Network | undefined;
  #starts = 0;
  #isDown = false;

  constructor(
    private readonly name: string,
    private readonly world: {
      readonly scheduler: VirtualClock;
      readonly server: ReturnType<typeof createInMemoryApiServer>;
      readonly random: () => number;
      readonly check: () => void;
      /** The longest latency of a request or of its response, in milliseconds. */
      readonly slowness: () => number;
      readonly renewDeadline: number;
      readonly retryPeriod: number;
      readonly wrongLines: string[];
    },
  ) {}

  start(): void {
    if (this.#lifetime) return;
    const { scheduler, server, random, check, slowness, renewDeadline, retryPeriod } = this.world;
    const latency = (): number => Math.floor(random() ** 4 * slowness());
    const back = (): number => {
      this.duringRequest?.();
      this.duringRequest = undefined;
      return latency();
    };
    const line = network(server.client, scheduler, { there: latency, back });
    line.isDown = this.#isDown;
    this.#network = line;
    this.#lifetime = leader$(line.client, {
      lease: leaseName,
      identity: `${this.name}-${++this.#starts}`,
      renewDeadline,
      retryPeriod,
      scheduler: skewed(scheduler, () => this.clock),
      random,
      logger: { debug: ignore, info: this.#read, warn: this.#read, error: ignore },
    }).subscribe(({ type }) => {
      this.isLeading = type === 'leading';
      check();
    });
  }

  /** The lines about winning and losing leadership alternate. */
  readonly #read: Logger['info'] = (_, message) => {
    const isLeading = message === 'became leader';
    if (!isLeading && !/^(lost leadership|stopped leading)/.test(message)) return;
    if (isLeading === this.isLoggedAsLeading) this.world.wrongLines.push(`${this.name}: ${message}`);
    this.isLoggedAsLeading = isLeading;
  };

  stop(): void {
    this.isLeading = false;
    this.#lifetime?.unsubscribe();
    this.#lifetime = undefined;
  }

  kill(): void {
    if (this.#network) this.#network.isDown = true;
    this.stop();
  }

  set isDown(isDown: boolean) {
    this.#isDown = isDown;
    if (this.#network) this.#network.isDown = isDown;
  }
}

describe('leader$ with random faults', () => {
  it('never has two leaders at once, has one soon after the faults end, and logs each change', () => {
    let leaderships = 0;
    fc.assert(
      fc.property(
        fc.integer(),
        fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { minLength: 3, maxLength: 4 }),
        fc.array(event, { maxLength: 12, size: 'max' }),
        // The longest allowed duration, with no time to spare.
        fc.constantFrom(10_000, 14_999),
        fc.constantFrom(500, 2_000),
        fc.constantFrom(20, 3_000),
        (seed, clocks, events, renewDeadline, retryPeriod, initialSlowness) => {
          const scheduler = virtualClock();
          const random = randomFromSeed(seed);
          let slowness = initialSlowness;
          let haveFaultsEnded = false;
          const server = createInMemoryApiServer({ scheduler, random });
          const leaders = (): number => processes.filter(({ isLeading }) => isLeading).length;
          // An assertion here would be thrown into the stream, and lost.
          let maxAtOnce = 0;
          const wrongLines: string[] = [];
          const check = (): void => {
            leaderships += leaders();
            maxAtOnce = Math.max(maxAtOnce, leaders());
          };
          const processes: readonly Process[] = clocks.map((clock, index) => {
            const process = new Process(`p${index}`, {
              scheduler,
              server,
              random,
              check,
              slowness: () => slowness,
              renewDeadline,
              retryPeriod,
              wrongLines,
            });
            process.clock = clock;
            return process;
          });
          const recover = (): void => {
            for (const process of processes) {
              process.isDown = false;
              process.start();
            }
          };
          recover();
          for (const { after, what } of events) {
            scheduler.advance(after);
            const leader = what.of === 9 ? processes.find(({ isLeading }) => isLeading) : undefined;
            const process = leader ?? processes[what.of % processes.length]!;
            switch (what.type) {
              case 'outage':
                process.isDown = true;
                break;
              case 'all back':
                recover();
                break;
              case 'kill':
                process.kill();
                break;
              case 'stop':
                process.stop();
                break;
              case 'set clock':
                process.clock += what.by;
                break;
              case 'set clock during a request':
                process.duringRequest = () => {
                  process.clock += what.by;
                  // The response still arrives; nothing does after it.
                  const cutOff = (): void => {
                    process.isDown = !haveFaultsEnded;
                  };
                  if (what.isThenCutOff) scheduler.schedule(cutOff, slowness + 1);
                };
                break;
              case 'fault':
                server.faults.clear();
                if (what.fault === 'refuse') server.faults.always('any', serverFaults.refuse());
                if (what.fault === 'stall') server.faults.always('any', serverFaults.stall());
                if (/\d/.test(what.fault)) server.faults.always('write', serverFaults.respond(Number(what.fault)));
                break;
              case 'restart':
                server.restart();
                break;
              default:
                what satisfies never;
            }
          }
          haveFaultsEnded = true;
          server.faults.clear();
          for (const process of processes) process.duringRequest = undefined;
          slowness = 20;
          recover();
          // A lease that is seen late (4.4 s and what requests take), its duration, and one more
          // attempt.
          scheduler.advance(15_000 + 2 * (4_400 + 12_000));
          expect(leaders()).toBe(1);
          expect(maxAtOnce).toBe(1);
          expect(processes.map(({ isLoggedAsLeading }) => isLoggedAsLeading)).toEqual(
            processes.map(({ isLeading }) => isLeading),
          );
          for (const process of processes) process.stop();
          scheduler.advance(60_000);
          expect(scheduler.timers).toBe(0);
          expect(wrongLines).toEqual([]);
        },
      ),
      { numRuns: 50 },
    );
    expect(leaderships).toBeGreaterThan(200);
  });
});
