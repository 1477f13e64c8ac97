import type { CountedFact, Fact, Labels, ReadFact, RecordedFact } from '../controller/metrics/instruments.js';

/** The metric for a measured value (`Fact`) in Prometheus. */
export interface MetricName {
  readonly name: string;
  readonly help: string;
  /** For each label, the field of `Labels` that contains its value. */
  readonly labels: Readonly<Record<string, keyof Labels>>;
}

const ofQueue = { name: 'name', controller: 'name' } as const;
const ofController = { controller: 'name' } as const;
const named = { name: 'name' } as const;
const byClass = { name: 'name', error: 'error', code: 'code' } as const;

/**
 * Counters. A value that controller-runtime or client-go also reports has the same name, labels and
 * meaning here.
 */
export const countedNames: Readonly<Record<CountedFact, MetricName>> = {
  queueAdds: {
    name: 'workqueue_adds_total',
    help: 'Total number of adds handled by workqueue',
    labels: ofQueue,
  },
  queueRetries: {
    name: 'workqueue_retries_total',
    help: 'Total number of retries handled by workqueue',
    labels: ofQueue,
  },
  reconciles: {
    name: 'controller_runtime_reconcile_total',
    help: 'Total number of reconciliations per controller',
    labels: { controller: 'name', result: 'result' },
  },
  reconcileErrors: {
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Total number of reconciliation errors per controller',
    labels: ofController,
  },
  terminalErrors: {
    name: 'controller_runtime_terminal_reconcile_errors_total',
    help: 'Total number of terminal reconciliation errors per controller',
    labels: ofController,
  },
  slowPaths: {
    name: 'leader_election_slowpath_total',
    help: 'Total number of slow path exercised in renewing leader leases',
    labels: named,
  },
  shardRenewalFailures: {
    name: 'shard_group_renewal_failures_total',
    help: 'Total number of requests for the lease of this replica that failed',
    labels: named,
  },
  lists: {
    name: 'reflector_lists_total',
    help: 'Total number of API lists begun by the reflectors',
    labels: named,
  },
  relists: {
    name: 'reflector_relists_total',
    help: 'Total number of API lists that a failure made necessary, by the class of its error and the HTTP status',
    labels: byClass,
  },
  watches: {
    name: 'reflector_watches_total',
    help: 'Total number of API watches opened by the reflectors',
    labels: named,
  },
  shortWatches: {
    name: 'reflector_short_watches_total',
    help: 'Total number of API watches that ended within a second and without an event',
    labels: named,
  },
};

export const recordedNames: Readonly<Record<RecordedFact, MetricName>> = {
  queueDuration: {
    name: 'workqueue_queue_duration_seconds',
    help: 'How long in seconds an item stays in workqueue before being requested',
    labels: ofQueue,
  },
  workDuration: {
    name: 'workqueue_work_duration_seconds',
    help: 'How long in seconds processing an item from workqueue takes',
    labels: ofQueue,
  },
  reconcileDuration: {
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Length of time per reconciliation per controller',
    labels: ofController,
  },
  observeDuration: {
    name: 'controller_write_observe_seconds',
    help: 'How long in seconds after a write of a reconciliation the caches show it',
    labels: ofController,
  },
  listDuration: {
    name: 'reflector_list_duration_seconds',
    help: 'How long in seconds a complete API list takes for the reflectors',
    labels: named,
  },
  listItems: {
    name: 'reflector_items_per_list',
    help: 'How many items an API list returns to the reflectors',
    labels: named,
  },
  watchDuration: {
    name: 'reflector_watch_duration_seconds',
    help: 'How long in seconds an API watch is open',
    labels: named,
  },
  watchItems: {
    name: 'reflector_items_per_watch',
    help: 'How many events an API watch returns to the reflectors',
    labels: named,
  },
  announcementDuration: {
    name: 'informer_announcement_duration_seconds',
    help: 'How long in seconds the subscribers and handlers of the informer take together for one commit',
    labels: named,
  },
  announcementDelay: {
    name: 'informer_announcement_delay_seconds',
    help: 'How long in seconds a commit of the informer waits until its subscribers and handlers are called',
    labels: named,
  },
};

export const readNames: Readonly<Record<ReadFact, MetricName>> = {
  queueDepth: {
    name: 'workqueue_depth',
    help: 'Current depth of workqueue',
    labels: ofQueue,
  },
  heldKeys: {
    name: 'workqueue_held_keys',
    help: 'Number of keys whose run has ended and that cannot run again yet',
    labels: ofQueue,
  },
  unfinishedWork: {
    name: 'workqueue_unfinished_work_seconds',
    help: 'How many seconds the runs in progress, which work_duration does not know yet, have taken together',
    labels: ofQueue,
  },
  longestRunning: {
    name: 'workqueue_longest_running_processor_seconds',
    help: 'How many seconds the longest run in progress has taken',
    labels: ofQueue,
  },
  maxConcurrentReconciles: {
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'Maximum number of concurrent reconciles per controller',
    labels: ofController,
  },
  activeWorkers: {
    name: 'controller_runtime_active_workers',
    help: 'Number of currently used workers per controller',
    labels: ofController,
  },
  isLeader: {
    name: 'leader_election_master_status',
    help: 'Whether this process leads (1) or stands by (0), by the name of the lease',
    labels: named,
  },
  shardMembers: {
    name: 'shard_group_members',
    help: 'Number of replicas of the group that are alive, as this one sees it',
    labels: named,
  },
  shardSlots: {
    name: 'shard_group_owned_slots',
    help: 'Number of slots, of 1024, that this replica owns',
    labels: named,
  },
  lastResourceVersion: {
    name: 'reflector_last_resource_version',
    help: 'Last resource version seen by the reflectors: its last 15 digits',
    labels: named,
  },
  cacheObjects: {
    name: 'informer_cache_objects',
    help: 'Number of objects in the cache of the informer',
    labels: named,
  },
  staleness: {
    name: 'informer_staleness_seconds',
    help: 'How many seconds ago the informer last heard anything from the API server',
    labels: named,
  },
  isSynced: {
    name: 'informer_synced',
    help: 'Whether the informer has had its first list (1)',
    labels: named,
  },
  informerStatus: {
    name: 'informer_status',
    help: 'Number of informers of this name that are in this state',
    labels: { name: 'name', state: 'state' },
  },
  informerErrors: {
    name: 'informer_errors_total',
    help: 'Total number of errors that the informer reported, by class and HTTP status',
    labels: byClass,
  },
};

/** The metrics of all measured values. */
export const metricNames: Readonly<Record<Fact, MetricName>> = { ...countedNames, ...recordedNames, ...readNames };
