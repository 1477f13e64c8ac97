import { clientGoProgram, measureClientGo } from '../contestants/client-go.js';
import type { StartClient } from '../contestants/client.js';
import { letServerStart } from '../contestants/http.js';
import { peakMemory, settledHeap } from '../measure/memory.js';
import { startStopwatch } from '../measure/times.js';
import type { FigureOf, Figures, RunContext, Scenario, Target } from '../model/scenario.js';
import { lastVersion } from '../server/watch-lines.js';

type Way = 'list' | 'stream';

interface ClientGo {
  readonly name: string;
  readonly format: 'JSON' | 'protobuf';
  readonly way: Way;
  readonly processors: number;
}

const WAYS: readonly Way[] = ['list', 'stream'];

const ours = (way: Way): string => `rx-informers, ${way}`;

const clientsGo: readonly ClientGo[] = (['JSON', 'protobuf'] as const).flatMap((format) =>
  WAYS.flatMap((way) =>
    [1, 2].map((processors) => ({
      name: `client-go, ${format}, ${way}, GOMAXPROCS=${processors}`,
      format,
      way,
      processors,
    })),
  ),
);

/**
 * Returns the time until synced that this library may take, as a multiple of client-go's. Where
 * client-go reads protobuf, it reads a smaller format than this library.
 */
function syncFactor({ format, way, processors }: ClientGo): number {
  if (format === 'JSON') return 1;
  if (way === 'stream') return 1.15;
  return processors === 1 ? 1.35 : 1.2;
}

/** The number of events that client-go receives as JSON. More events would only take longer. */
const EVENTS_IN_JSON = 10_000;

export const clientGo: Scenario = {
  name: 'client-go',
  title: "client-go's informer, in JSON and in protobuf",
  description: [
    'The shared informer of client-go, for typed pods, with three indexes and one event handler, compared with this',
    'library with three indexes and a subscriber to `changes$`. Both read 50,000 pods from the same server, as one',
    'list or as a streaming list, with their default settings. The server responds at once, whatever limit they set',
    'for, as a real one does from its cache. Then it sends one MODIFIED event for each pod, as fast as the client',
    'reads. Where client-go reads JSON, only the first 10,000 events are counted. This library reads JSON only, and',
    'runs in one thread. The heap is measured between the list and the events.',
  ].join(' '),
  contestants: [...WAYS.map(ours), ...clientsGo.map(({ name }) => name)],
  rounds: 3,
  metrics: {
    sync: { title: 'from start to synced', unit: 'ms', better: 'lower' },
    processor: { title: 'processor time until synced', unit: 'ms', better: 'lower' },
    events: { title: 'events applied', unit: 'events/s', better: 'higher' },
    perProcessor: { title: 'events applied per second of processor time', unit: 'events/s', better: 'higher' },
    heap: { title: 'heap in use per pod', unit: 'bytes', better: 'lower' },
    peak: { title: 'peak memory of the process until synced', unit: 'MB', better: 'lower' },
  },
  targets: clientsGo.flatMap((competitor): readonly Target[] => {
    const { name, format, way, processors } = competitor;
    const compared = (metric: string, is: Target['is'], factor: number): Target => {
      const reference: FigureOf = { contestant: name, metric };
      return { figure: { contestant: ours(way), metric }, is, factor, reference };
    };
    return [
      compared('sync', 'at most', syncFactor(competitor)),
      ...(format === 'JSON' ? [compared('events', 'at least', 1)] : []),
      // The heap of client-go is nearly the same with one processor and with two, so only the
      // contestants with two processors have a target for the heap.
      ...(processors === 2 ? [compared('heap', 'at most', 0.3)] : []),
    ];
  }),
  server: (scale) => {
    const protobufEncoder = clientGoProgram();
    return {
      ...(scale === 'full' ? { pods: 50_000, events: 50_000 } : { pods: 2000, events: 2000 }),
      ignoresLimit: true,
      ...(protobufEncoder === undefined ? {} : { protobufEncoder }),
    };
  },
  unavailable: () =>
    clientGoProgram() === undefined
      ? 'CLIENT_GO_BENCH does not name the program that bench/client-go/build.sh makes'
      : undefined,
  run,
};

async function run(contestant: string, { url, content }: RunContext): Promise<Figures> {
  if (content?.events === undefined) throw new Error('the server must have events to send');
  const { pods, events } = content;
  const competitor = clientsGo.find(({ name }) => name === contestant);
  if (competitor !== undefined) {
    const { format, way, processors } = competitor;
    return measureClientGo({
      url,
      pods,
      events: format === 'JSON' ? Math.min(EVENTS_IN_JSON, events) : events,
      isProtobuf: format === 'protobuf',
      isStream: way === 'stream',
      processors,
    });
  }
  const { rxInformers } = await import('../contestants/rx-informers.js');
  const initialList = contestant === ours('stream') ? 'stream' : 'pages';
  return measureOurs(await rxInformers({ source: { initialList } }), { url, pods, events });
}

async function measureOurs(
  start: StartClient,
  { url, pods, events }: { readonly url: string; readonly pods: number; readonly events: number },
): Promise<Figures> {
  const last = lastVersion({ pods, events });
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const empty = await settledHeap();
  const first = startStopwatch();
  const client = start({
    url,
    updated: ({ metadata }) => {
      if (metadata?.resourceVersion === last) finish();
    },
  });
  await client.synced;
  const sync = first();
  const peak = peakMemory();
  const heap = ((await settledHeap()) - empty) / pods;
  const second = startStopwatch();
  await letServerStart(url);
  await finished;
  const { wall, processor } = second();
  client.stop();
  return {
    sync: sync.wall,
    processor: sync.processor,
    events: (events / wall) * 1000,
    perProcessor: (events / processor) * 1000,
    heap,
    peak,
  };
}
