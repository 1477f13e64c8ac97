import { randomFromSeed } from '../../random-from-seed.js';
import { delay, gone, refuse, reset, respond, restart } from './request-faults.js';
import { dropAfter, duplicateEvents, garbageLine, slowDrip, stall, truncatedLine } from './body-faults.js';
import type { ServerFault } from './server-fault.js';

export interface RandomServerFaultsOptions {
  /** How many of the requests meet a fault, from 0 to 1; default 0.5. */
  readonly probability?: number | undefined;
}

type MakeFault = (upTo: (limit: number) => number) => ServerFault;

const faults: readonly MakeFault[] = [
  (upTo) => dropAfter(upTo(2000)),
  (upTo) => reset(upTo(2000)),
  () => refuse(),
  () => stall(),
  (upTo) => stall({ afterBytes: upTo(2000) }),
  (upTo) => stall({ afterEvents: upTo(5) }),
  (upTo) => delay(upTo(1000)),
  (upTo) => respond(429, { retryAfter: upTo(3) }),
  () => respond(500),
  () => respond(503),
  () => respond(504),
  (upTo) => gone({ afterEvents: upTo(5) }),
  () => gone({ as: 'http' }),
  (upTo) => truncatedLine({ afterEvents: upTo(5) }),
  (upTo) => garbageLine({ afterEvents: upTo(5) }),
  () => duplicateEvents(),
  (upTo) => slowDrip(1 + upTo(500), upTo(20)),
  () => restart(),
  () => restart({ compact: true }),
];

/**
 * A different fault for each request, all kinds of them; the same ones in the same order for the same seed.
 *
 * @param seed print it where a test fails, to see the failure again
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.always('watch', randomServerFaults(42));
 */
export function randomServerFaults(seed: number, { probability = 0.5 }: RandomServerFaultsOptions = {}): ServerFault {
  if (!(probability >= 0 && probability <= 1))
    throw new RangeError(`probability is ${probability}; a number from 0 to 1 expected`);
  const random = randomFromSeed(seed);
  const upTo = (limit: number): number => Math.floor(random() * (limit + 1));
  return {
    name: `randomServerFaults(${seed})`,
    intercept: (request, next, context) => {
      const make = random() < probability ? faults[upTo(faults.length - 1)] : undefined;
      return make === undefined ? next(request) : make(upTo).intercept(request, next, context);
    },
  };
}
