import { setTimeout as wait } from 'node:timers/promises';
import type { Rig } from '../../test/cluster/support/rig.js';
import type { SoakedCluster } from './soaked-cluster.js';
import type { TroubledServer } from './troubled-server.js';

/** The parts of the setup on which a fault acts. */
interface Victims {
  readonly rig: Rig;
  readonly cluster: SoakedCluster;
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

/** A fault, and whether it makes writes fail, which do not pass the proxy. */
export interface Fault {
  readonly name: string;
  /** True if the API server cannot accept each write during the fault. */
  readonly stopsWrites: boolean;
  /** Injects the fault. The fault has ended when the promise resolves. */
  readonly inject: Injection;
}

type Injection = (victims: Victims) => Promise<void> | void;

/** The faults between the observers and the API server. */
const faultsOfTheConnection: Readonly<Record<string, Injection>> = {
  'connections reset': ({ proxy }) => proxy.resetConnections(),
  'responses cut short': ({ proxy }) => proxy.endResponses(),
  'connections stalled': async ({ proxy, random }) => {
    proxy.stallConnections();
    await wait(1_000 + 5_000 * random());
    proxy.resumeConnections();
    if (random() < 0.5) proxy.resetConnections();
  },
  'token rotated': ({ proxy }) => {
    proxy.rotateToken();
    proxy.resetConnections();
  },
  'certificate rotated': ({ proxy }) => {
    proxy.rotateCertificate();
    proxy.resetConnections();
  },
  '401': refuse(401),
  '403': refuse(403),
  '429 with Retry-After': refuse(429, 2),
  '500': refuse(500),
  '503': refuse(503),
  'clock set back an hour': ({ clock, proxy }) => {
    clock.move(-3_600_000);
    proxy.resetConnections();
  },
  'clock set forward an hour': ({ clock, proxy }) => {
    clock.move(3_600_000);
    proxy.resetConnections();
  },
};

/** The faults of the API server itself. */
const faultsOfTheServer: Readonly<Record<string, Injection>> = {
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
  'kind deleted and created again': ({ cluster }) => cluster.recreateKind(),
  'namespace deleted and created again': ({ cluster, random }) => cluster.recreateNamespace(random),
};

/**
 * The fault that ends every second round. In the middle of a round, a later fault resets the silent
 * connections, which hides an observer that would never give them up.
 */
export const lastFault: Fault = {
  name: 'connections silent for ever',
  stopsWrites: false,
  inject: ({ proxy }) => proxy.silenceConnections(),
};

export const faults: readonly Fault[] = [
  lastFault,
  ...Object.entries(faultsOfTheConnection).map(([name, inject]) => ({ name, inject, stopsWrites: false })),
  ...Object.entries(faultsOfTheServer).map(([name, inject]) => ({ name, inject, stopsWrites: true })),
];

function refuse(status: number, retryAfter?: number): Injection {
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
export function faultsInTurn(random: () => number): () => Fault {
  let left: Fault[] = [];
  return () => {
    if (left.length === 0) left = [...faults];
    const [fault] = left.splice(Math.floor(random() * left.length), 1) as [Fault];
    return fault;
  };
}
