import { invalidOptionError } from '../../../kubernetes/errors.js';
import { randomFromSeed } from '../../virtual-clock.js';
import { drip, drop, duplicate, garble, stall, truncate } from './body-faults.js';
import { delay, expire, refuse, reset, respond, restart } from './request-faults.js';
import type { ServerFault } from './server-fault.js';

export { drip, drop, duplicate, garble, stall, truncate } from './body-faults.js';
export { delay, expire, refuse, reset, respond, restart } from './request-faults.js';

/** Options of `serverFaults.random`. */
export interface RandomServerFaultsOptions {
  /** The share of requests with a fault, from 0 to 1; default 0.5. */
  readonly probability?: number | undefined;
}

/**
 * Applies faults of random kinds to random requests. The same seed leads to the same sequence of
 * faults.
 *
 * @param seed any integer; print it if a test fails
 * @param options how many requests have a fault
 * @throws `RXI_INVALID_OPTION` unless `probability` is from 0 to 1
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.always('watch', serverFaults.random(42));
 */
export function random(seed: number, { probability = 0.5 }: RandomServerFaultsOptions = {}): ServerFault {
  if (!(probability >= 0 && probability <= 1))
    throw invalidOptionError('probability', probability, 'a number from 0 to 1');
  const chance = randomFromSeed(seed);
  const upTo = (limit: number): number => Math.floor(chance() * (limit + 1));
  return {
    name: `random(${seed})`,
    intercept: (request, next, context) => {
      const make = chance() < probability ? faults[upTo(faults.length - 1)] : undefined;
      return make === undefined ? next(request) : make(upTo).intercept(request, next, context);
    },
  };
}

type MakeFault = (upTo: (limit: number) => number) => ServerFault;

const faults: readonly MakeFault[] = [
  (upTo) => drop(upTo(2000)),
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
  (upTo) => expire({ afterEvents: upTo(5) }),
  () => expire({ as: 'http' }),
  (upTo) => truncate({ afterEvents: upTo(5) }),
  (upTo) => garble({ afterEvents: upTo(5) }),
  () => duplicate(),
  (upTo) => drip(1 + upTo(500), upTo(20)),
  () => restart(),
  () => restart({ compact: true }),
];
