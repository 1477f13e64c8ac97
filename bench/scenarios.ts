import type { Scenario } from './model/scenario.js';
import { bundleSize } from './scenarios/bundle-size.js';
import { churn } from './scenarios/churn.js';
import { clientGo } from './scenarios/client-go.js';
import { controllerRuns } from './scenarios/controller-runs.js';
import { derivedJoin } from './scenarios/derived-join.js';
import { derivedOperators } from './scenarios/derived-operators.js';
import { derivedPeers } from './scenarios/derived-peers.js';
import { derivedSelectors } from './scenarios/derived-selectors.js';
import { embeddedApiServer } from './scenarios/embedded-api-server.js';
import { eventLoop } from './scenarios/event-loop.js';
import { firstSyncPaged } from './scenarios/first-sync-paged.js';
import { firstSyncStream } from './scenarios/first-sync-stream.js';
import { heapAfterUpdates } from './scenarios/heap-after-updates.js';
import { heapPerPod } from './scenarios/heap-per-pod.js';
import { historyScenario } from './scenarios/history.js';
import { latency } from './scenarios/latency.js';
import { longestBlock } from './scenarios/longest-block.js';
import { manySubscriptions } from './scenarios/many-subscriptions.js';
import { metadataOnly } from './scenarios/metadata-only.js';
import { modifiedEvents } from './scenarios/modified-events.js';
import { namespaces } from './scenarios/namespaces.js';
import { oneBucket } from './scenarios/one-bucket.js';
import { queueThroughput } from './scenarios/queue-throughput.js';
import { reconcileLatency } from './scenarios/reconcile-latency.js';
import { relistUnchanged } from './scenarios/relist-unchanged.js';
import { resharding } from './scenarios/resharding.js';
import { staleCache } from './scenarios/stale-cache.js';
import { statusStorm } from './scenarios/status-storm.js';
import { updateScale } from './scenarios/update-scale.js';
import { windowTable } from './scenarios/window-table.js';

/**
 * All scenarios, in the order of `docs/contributing/benchmarks.md`. Each scenario is in
 * `scenarios/<its name>.ts`.
 */
export const scenarios: readonly Scenario[] = [
  firstSyncPaged,
  firstSyncStream,
  modifiedEvents,
  statusStorm,
  clientGo,
  heapPerPod,
  heapAfterUpdates,
  relistUnchanged,
  longestBlock,
  updateScale,
  manySubscriptions,
  oneBucket,
  windowTable,
  derivedOperators,
  derivedJoin,
  derivedPeers,
  derivedSelectors,
  historyScenario,
  latency,
  churn,
  queueThroughput,
  reconcileLatency,
  controllerRuns,
  eventLoop,
  staleCache,
  metadataOnly,
  namespaces,
  resharding,
  bundleSize,
  embeddedApiServer,
];
