import type { Pod } from '../../src/index.js';
import type { Figures, Scale, Scenario } from '../model/scenario.js';
import { followPods, type Followed } from '../scaling/follow.js';
import { withApiServer } from '../scaling/start-api-server.js';

const PODS: Readonly<Record<Scale, number>> = { full: 20_000, quick: 1000 };
const WHOLE = 'whole objects';
const METADATA = 'metadataOnly';

/** Keeps only the fields that a dashboard of phases needs. */
function phaseOnly({ apiVersion, kind, metadata, status }: Pod): Pod {
  const { name, namespace = '', uid, resourceVersion, labels = {} } = metadata;
  const phase = status?.phase ?? 'Unknown';
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, labels }, status: { phase } };
}

const wholePods = (url: string): Promise<Followed> => followPods(url, {});
const contestants: Readonly<Record<string, (url: string) => Promise<Followed>>> = {
  [WHOLE]: wholePods,
  'a transform that keeps labels and phase': (url) => followPods(url, { transform: phaseOnly }),
  [METADATA]: (url) => followPods(url, { metadataOnly: true }),
};

const figure = (contestant: string, metric: string) => ({ contestant, metric });

export const metadataOnly: Scenario = {
  name: 'metadata-only',
  title: 'Whole pods, transformed pods, or only metadata',
  description: [
    'An informer without indexes starts on 20,000 pods and syncs by a streaming list. It reads whole pods (without',
    'managed fields, which is the default), pods with a transform that keeps names, labels and phase, and metadata',
    'only (`metadataOnly`). The server is `createApiServer` of `rx-informers/testing`, in a process of its own. It',
    'replaces the managed fields of the test pods by its own.',
  ].join(' '),
  contestants: Object.keys(contestants),
  metrics: {
    read: { title: 'read from the server', unit: 'MB', better: 'lower' },
    wall: { title: 'from start to synced', unit: 'ms', better: 'lower' },
    processor: { title: 'processor time', unit: 'ms', better: 'lower' },
    heap: { title: 'heap per object', unit: 'bytes', better: 'lower' },
  },
  targets: [
    { figure: figure(METADATA, 'read'), is: 'at most', factor: 0.6, reference: figure(WHOLE, 'read') },
    { figure: figure(METADATA, 'heap'), is: 'at most', factor: 0.8, reference: figure(WHOLE, 'heap') },
  ],
  rounds: 3,
  run: (contestant, { scale }) => run(contestants[contestant] ?? wholePods, PODS[scale]),
};

function run(follow: (url: string) => Promise<Followed>, pods: number): Promise<Figures> {
  return withApiServer({ pods, namespaces: 20 }, async (url) => {
    const { read, wall, processor, heap, objects, stop } = await follow(url);
    stop();
    if (objects !== pods) throw new Error(`${objects} of ${pods} pods were listed`);
    return { read, wall, processor, heap: (heap * 1024 * 1024) / objects };
  });
}
