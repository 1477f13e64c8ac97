import { setTimeout as wait } from 'node:timers/promises';
import type { Rig } from '../../test/cluster/support/rig.js';
import type { TroubledServer } from './troubled-server.js';

/** The parts of the setup on which a fault acts. */
interface Victims {
  readonly rig: Rig;
  readonly proxy: TroubledServer;
  readonly clock: WallClock;
  readonly random: () => number;
}

/**
 * A wall clock that can be set, as an administrator or NTP does. The monotonic clock is not
 * affected.
 */
interface WallClock {
  /** @param milliseconds how far the clock moves; a negative number moves it back */
  move(milliseconds: number): void;
}

/** Replaces `Date.now` with a clock that can be moved. */
export function takeWallClock(): WallClock {
  const real = Date.now.bind(Date);
  let offset = 0;
  Date.now = () => real() + offset;
  return {
    move: (milliseconds) => {
      offset += milliseconds;
    },
  };
}

/** Injects a fault. The fault has ended when the promise resolves. */
type Fault = (victims: Victims) => Promise<void> | void;

const faults: Readonly<Record<string, Fault>> = {
  'connections reset': ({ proxy }) => proxy.resetConnections(),
  'responses cut short': ({ proxy }) => proxy.endResponses(),
  'connections stalled': async ({ proxy, random }) => {
    proxy.setMode({ name: 'stall' });
    await wait(1_000 + 5_000 * random());
    proxy.setMode({ name: 'forward' });
    // The proxy never forwards or answers requests that it accepted while it stalled.
    if (random() < 0.5) proxy.resetConnections();
  },
  '401': refuse(401),
  '403': refuse(403),
  '429 with Retry-After': refuse(429, 2),
  '500': refuse(500),
  '503': refuse(503),
  'API server killed': async ({ rig }) => rig.restart(),
  'history compacted, API server killed': async ({ rig, proxy }) => {
    proxy.setMode({ name: 'refuse', status: 503 });
    proxy.resetConnections();
    await wait(1_000);
    await rig.compact();
    await rig.restart();
    proxy.setMode({ name: 'forward' });
  },
  'API server frozen': async ({ rig, random }) => {
    rig.freeze();
    await wait(1_000 + 4_000 * random());
    rig.thaw();
  },
  'clock set back an hour': ({ clock, proxy }) => {
    clock.move(-3_600_000);
    proxy.resetConnections();
  },
  'clock set forward an hour': ({ clock, proxy }) => {
    clock.move(3_600_000);
    proxy.resetConnections();
  },
};

function refuse(status: number, retryAfter?: number): Fault {
  return async ({ proxy, random }) => {
    proxy.setMode({ name: 'refuse', status, ...(retryAfter !== undefined && { retryAfter }) });
    proxy.resetConnections();
    await wait(1_000 + 4_000 * random());
    proxy.setMode({ name: 'forward' });
  };
}

/**
 * Returns a function that returns the faults in random order. It returns every fault once before it
 * repeats one.
 */
export function faultsInTurn(random: () => number): () => { readonly name: string; readonly fault: Fault } {
  let left: (readonly [string, Fault])[] = [];
  return () => {
    if (left.length === 0) left = Object.entries(faults);
    const [[name, fault]] = left.splice(Math.floor(random() * left.length), 1) as [[string, Fault]];
    return { name, fault };
  };
}
