/**
 * The labels of a value.
 *
 * | label | of | values |
 * | --- | --- | --- |
 * | `name` | every metric | the name that was passed to `Metrics` |
 * | `result` | `reconciles` | `success` `requeue_after` `skipped` `error` `aborted` |
 * | `error` | `relists` `informerErrors` | the code of the error, `''` if there was none |
 * | `code` | `relists` `informerErrors` | the HTTP status of the error, `''` if it has none |
 * | `state` | `informerStatus` | the states of `SourceStatus` |
 */
export interface LabelValues {
  readonly name: string;
  readonly result?: string;
  readonly error?: string;
  readonly code?: string;
  readonly state?: string;
}

/** For each label, the field of `LabelValues` that contains its value. */
export type LabelNames = Readonly<Record<string, keyof LabelValues>>;

/** What the adapters call a measured value (`Fact`), and what they say about it. */
export interface MetricDefinition {
  readonly labels: { readonly prometheus: LabelNames; readonly openTelemetry: LabelNames };
  /** In Prometheus, name, labels and meaning are those of controller-runtime or client-go. */
  readonly prometheus: string;
  readonly openTelemetry: string;
  /** The unit in OpenTelemetry. */
  readonly unit: string;
}

type MetricLabels = MetricDefinition['labels'];

const byName = (openTelemetry: string): MetricLabels => ({
  prometheus: { name: 'name' },
  openTelemetry: { [openTelemetry]: 'name' },
});

const ofQueue: MetricLabels = {
  prometheus: { name: 'name', controller: 'name' },
  openTelemetry: { 'workqueue.name': 'name' },
};
const ofController: MetricLabels = {
  prometheus: { controller: 'name' },
  openTelemetry: { 'controller.name': 'name' },
};
const ofLease = byName('lease.name');
const ofGroup = byName('shard_group.name');
const ofReflector = byName('reflector.name');
const ofInformer = byName('informer.name');

const combine = (one: MetricLabels, other: MetricLabels): MetricLabels => ({
  prometheus: { ...one.prometheus, ...other.prometheus },
  openTelemetry: { ...one.openTelemetry, ...other.openTelemetry },
});

const byClass: MetricLabels = {
  prometheus: { error: 'error', code: 'code' },
  openTelemetry: { 'error.type': 'error', 'http.response.status_code': 'code' },
};
const byResult: MetricLabels = { prometheus: { result: 'result' }, openTelemetry: { 'reconcile.result': 'result' } };
const byState: MetricLabels = { prometheus: { state: 'state' }, openTelemetry: { 'informer.state': 'state' } };

const metric = (labels: MetricLabels, prometheus: string, openTelemetry: string, unit: string): MetricDefinition => ({
  labels,
  prometheus,
  openTelemetry,
  unit,
});

/** The counters, increased when something happens. */
export const counters = {
  queueAdds: metric(ofQueue, 'workqueue_adds_total', 'workqueue.adds', '{key}'),
  queueRetries: metric(ofQueue, 'workqueue_retries_total', 'workqueue.retries', '{key}'),
  reconciles: metric(
    combine(ofController, byResult),
    'controller_runtime_reconcile_total',
    'controller.reconciles',
    '{reconcile}',
  ),
  reconcileErrors: metric(
    ofController,
    'controller_runtime_reconcile_errors_total',
    'controller.reconcile.errors',
    '{error}',
  ),
  terminalErrors: metric(
    ofController,
    'controller_runtime_terminal_reconcile_errors_total',
    'controller.reconcile.terminal_errors',
    '{error}',
  ),
  slowPaths: metric(ofLease, 'leader_election_slowpath_total', 'leader_election.slow_paths', '{renewal}'),
  shardRenewalFailures: metric(
    ofGroup,
    'shard_group_renewal_failures_total',
    'shard_group.renewal_failures',
    '{request}',
  ),
  lists: metric(ofReflector, 'reflector_lists_total', 'reflector.lists', '{list}'),
  relists: metric(combine(ofReflector, byClass), 'reflector_relists_total', 'reflector.relists', '{list}'),
  watches: metric(ofReflector, 'reflector_watches_total', 'reflector.watches', '{watch}'),
  shortWatches: metric(ofReflector, 'reflector_short_watches_total', 'reflector.short_watches', '{watch}'),
};

/** The histograms. Durations are in seconds. */
export const histograms = {
  queueDuration: metric(ofQueue, 'workqueue_queue_duration_seconds', 'workqueue.queue.duration', 's'),
  workDuration: metric(ofQueue, 'workqueue_work_duration_seconds', 'workqueue.work.duration', 's'),
  reconcileDuration: metric(
    ofController,
    'controller_runtime_reconcile_time_seconds',
    'controller.reconcile.duration',
    's',
  ),
  observeDuration: metric(ofController, 'controller_write_observe_seconds', 'controller.write.observe.duration', 's'),
  listDuration: metric(ofReflector, 'reflector_list_duration_seconds', 'reflector.list.duration', 's'),
  listItems: metric(ofReflector, 'reflector_items_per_list', 'reflector.list.items', '{object}'),
  watchDuration: metric(ofReflector, 'reflector_watch_duration_seconds', 'reflector.watch.duration', 's'),
  watchItems: metric(ofReflector, 'reflector_items_per_watch', 'reflector.watch.events', '{event}'),
  announcementDuration: metric(
    ofInformer,
    'informer_announcement_duration_seconds',
    'informer.announcement.duration',
    's',
  ),
  announcementDelay: metric(ofInformer, 'informer_announcement_delay_seconds', 'informer.announcement.delay', 's'),
};

/** The metrics that are read at collection: gauges, and the counter `informerErrors`. */
export const readMetrics = {
  queueDepth: metric(ofQueue, 'workqueue_depth', 'workqueue.depth', '{key}'),
  heldKeys: metric(ofQueue, 'workqueue_held_keys', 'workqueue.held', '{key}'),
  unfinishedWork: metric(ofQueue, 'workqueue_unfinished_work_seconds', 'workqueue.work.unfinished', 's'),
  longestRunning: metric(ofQueue, 'workqueue_longest_running_processor_seconds', 'workqueue.work.longest_running', 's'),
  maxConcurrentReconciles: metric(
    ofController,
    'controller_runtime_max_concurrent_reconciles',
    'controller.workers.limit',
    '{worker}',
  ),
  activeWorkers: metric(ofController, 'controller_runtime_active_workers', 'controller.workers.active', '{worker}'),
  isLeader: metric(ofLease, 'leader_election_master_status', 'leader_election.leading', '1'),
  shardMembers: metric(ofGroup, 'shard_group_members', 'shard_group.members', '{replica}'),
  shardSlots: metric(ofGroup, 'shard_group_owned_slots', 'shard_group.owned_slots', '{slot}'),
  lastResourceVersion: metric(ofReflector, 'reflector_last_resource_version', 'reflector.last_resource_version', '1'),
  cacheObjects: metric(ofInformer, 'informer_cache_objects', 'informer.cache.objects', '{object}'),
  staleness: metric(ofInformer, 'informer_staleness_seconds', 'informer.staleness', 's'),
  isSynced: metric(ofInformer, 'informer_synced', 'informer.synced', '1'),
  informerStatus: metric(combine(ofInformer, byState), 'informer_status', 'informer.status', '{informer}'),
  informerErrors: metric(combine(ofInformer, byClass), 'informer_errors_total', 'informer.errors', '{error}'),
};

export type CountedFact = keyof typeof counters;
export type RecordedFact = keyof typeof histograms;
export type ReadFact = keyof typeof readMetrics;

/** A measured value. Each adapter has its own name of the metric. */
export type Fact = CountedFact | RecordedFact | ReadFact;

/** What a metric means, in both systems. */
export const descriptions: Readonly<Record<Fact, string>> = {
  queueAdds: 'Keys that began to wait for a worker.',
  queueRetries: 'Additions with a delay.',
  reconciles: 'Reconciles that ended, by result.',
  reconcileErrors: 'Reconciles that failed.',
  terminalErrors: 'Reconciles that failed and are not retried.',
  slowPaths: 'Renewals of a lease that had to read it first.',
  shardRenewalFailures: 'Requests for the lease of this replica that failed.',
  lists: 'Lists begun.',
  relists: 'Lists that a failure made necessary, by the class of its error and the HTTP status.',
  watches: 'Watches opened.',
  shortWatches: 'Watches that ended within a second and without an event.',
  queueDuration: 'How long a key waited for a worker.',
  workDuration: 'How long a run took.',
  reconcileDuration: 'How long a reconcile took.',
  observeDuration: 'How long after a write of a reconcile the caches showed it.',
  listDuration: 'How long a complete list took.',
  listItems: 'How many objects a complete list had.',
  watchDuration: 'How long a watch was open.',
  watchItems: 'How many events a watch sent.',
  announcementDuration: 'How long the subscribers and handlers of the informer took together for one commit.',
  announcementDelay: 'How long a commit of the informer waited until its subscribers and handlers were called.',
  queueDepth: 'Keys that wait for a worker.',
  heldKeys: 'Keys whose run has ended and that cannot run again yet.',
  unfinishedWork: 'How long the runs under way have taken together.',
  longestRunning: 'How long the longest run under way has taken.',
  maxConcurrentReconciles: 'Reconciles that may be under way at once.',
  activeWorkers: 'Reconciles under way.',
  isLeader: 'Whether this process leads (1) or stands by (0).',
  shardMembers: 'Replicas of the group that are alive, as this one sees it.',
  shardSlots: 'Slots, of 1024, that this replica owns.',
  lastResourceVersion: 'The last resourceVersion seen: its last 15 digits.',
  cacheObjects: 'Objects in the cache.',
  staleness: 'How long ago the last message of the API server came.',
  isSynced: 'Whether the first list is in the cache (1).',
  informerStatus: 'Informers of this name that are in this state.',
  informerErrors: 'Errors that the informer reported, by class and HTTP status.',
};
