import type { CountedFact, Labels, ReadFact, RecordedFact } from '../controller/metrics/instruments.js';

/** The instrument for a measured value (`Fact`) in OpenTelemetry. */
export interface InstrumentName {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  /** For each attribute, the field of `Labels` that contains its value. */
  readonly attributes: Readonly<Record<string, keyof Labels>>;
}

const ofQueue = { 'workqueue.name': 'name' } as const;
const ofController = { 'controller.name': 'name' } as const;
const ofLease = { 'lease.name': 'name' } as const;
const ofGroup = { 'shard_group.name': 'name' } as const;
const ofReflector = { 'reflector.name': 'name' } as const;
const ofInformer = { 'informer.name': 'name' } as const;
const byClass = { 'error.type': 'error', 'http.response.status_code': 'code' } as const;

export const countedNames: Readonly<Record<CountedFact, InstrumentName>> = {
  queueAdds: {
    name: 'workqueue.adds',
    description: 'Keys that began to wait for a worker.',
    unit: '{key}',
    attributes: ofQueue,
  },
  queueRetries: {
    name: 'workqueue.retries',
    description: 'Additions with a delay.',
    unit: '{key}',
    attributes: ofQueue,
  },
  reconciles: {
    name: 'controller.reconciles',
    description: 'Reconciles that ended, by result.',
    unit: '{reconcile}',
    attributes: { ...ofController, 'reconcile.result': 'result' },
  },
  reconcileErrors: {
    name: 'controller.reconcile.errors',
    description: 'Reconciles that failed.',
    unit: '{error}',
    attributes: ofController,
  },
  terminalErrors: {
    name: 'controller.reconcile.terminal_errors',
    description: 'Reconciles that failed and are not retried.',
    unit: '{error}',
    attributes: ofController,
  },
  slowPaths: {
    name: 'leader_election.slow_paths',
    description: 'Renewals of a lease that had to read it first.',
    unit: '{renewal}',
    attributes: ofLease,
  },
  shardRenewalFailures: {
    name: 'shard_group.renewal_failures',
    description: 'Requests for the lease of this replica that failed.',
    unit: '{request}',
    attributes: ofGroup,
  },
  lists: {
    name: 'reflector.lists',
    description: 'Lists begun.',
    unit: '{list}',
    attributes: ofReflector,
  },
  relists: {
    name: 'reflector.relists',
    description: 'Lists that a failure made necessary, by the class of its error and the HTTP status.',
    unit: '{list}',
    attributes: { ...ofReflector, ...byClass },
  },
  watches: {
    name: 'reflector.watches',
    description: 'Watches opened.',
    unit: '{watch}',
    attributes: ofReflector,
  },
  shortWatches: {
    name: 'reflector.short_watches',
    description: 'Watches that ended within a second and without an event.',
    unit: '{watch}',
    attributes: ofReflector,
  },
};

export const recordedNames: Readonly<Record<RecordedFact, InstrumentName>> = {
  queueDuration: {
    name: 'workqueue.queue.duration',
    description: 'How long a key waited for a worker.',
    unit: 's',
    attributes: ofQueue,
  },
  workDuration: {
    name: 'workqueue.work.duration',
    description: 'How long a run took.',
    unit: 's',
    attributes: ofQueue,
  },
  reconcileDuration: {
    name: 'controller.reconcile.duration',
    description: 'How long a reconcile took.',
    unit: 's',
    attributes: ofController,
  },
  observeDuration: {
    name: 'controller.write.observe.duration',
    description: 'How long after a write of a reconcile the caches showed it.',
    unit: 's',
    attributes: ofController,
  },
  listDuration: {
    name: 'reflector.list.duration',
    description: 'How long a complete list took.',
    unit: 's',
    attributes: ofReflector,
  },
  listItems: {
    name: 'reflector.list.items',
    description: 'How many objects a complete list held.',
    unit: '{object}',
    attributes: ofReflector,
  },
  watchDuration: {
    name: 'reflector.watch.duration',
    description: 'How long a watch was open.',
    unit: 's',
    attributes: ofReflector,
  },
  watchItems: {
    name: 'reflector.watch.events',
    description: 'How many events a watch brought.',
    unit: '{event}',
    attributes: ofReflector,
  },
  announcementDuration: {
    name: 'informer.announcement.duration',
    description: 'How long the subscribers and handlers of the informer took together for one commit.',
    unit: 's',
    attributes: ofInformer,
  },
  announcementDelay: {
    name: 'informer.announcement.delay',
    description: 'How long a commit of the informer waited until its subscribers and handlers were called.',
    unit: 's',
    attributes: ofInformer,
  },
};

export const readNames: Readonly<Record<ReadFact, InstrumentName>> = {
  queueDepth: {
    name: 'workqueue.depth',
    description: 'Keys that wait for a worker.',
    unit: '{key}',
    attributes: ofQueue,
  },
  heldKeys: {
    name: 'workqueue.held',
    description: 'Keys whose run has ended and that cannot run again yet.',
    unit: '{key}',
    attributes: ofQueue,
  },
  unfinishedWork: {
    name: 'workqueue.work.unfinished',
    description: 'How long the runs under way have taken together.',
    unit: 's',
    attributes: ofQueue,
  },
  longestRunning: {
    name: 'workqueue.work.longest_running',
    description: 'How long the longest run under way has taken.',
    unit: 's',
    attributes: ofQueue,
  },
  maxConcurrentReconciles: {
    name: 'controller.workers.limit',
    description: 'Reconciles that may be under way at once.',
    unit: '{worker}',
    attributes: ofController,
  },
  activeWorkers: {
    name: 'controller.workers.active',
    description: 'Reconciles under way.',
    unit: '{worker}',
    attributes: ofController,
  },
  isLeader: {
    name: 'leader_election.leading',
    description: 'Whether this process leads (1) or stands by (0).',
    unit: '1',
    attributes: ofLease,
  },
  shardMembers: {
    name: 'shard_group.members',
    description: 'Replicas of the group that are alive, as this one sees it.',
    unit: '{replica}',
    attributes: ofGroup,
  },
  shardSlots: {
    name: 'shard_group.owned_slots',
    description: 'Slots, of 1024, that this replica owns.',
    unit: '{slot}',
    attributes: ofGroup,
  },
  lastResourceVersion: {
    name: 'reflector.last_resource_version',
    description: 'The last resourceVersion seen: its last 15 digits.',
    unit: '1',
    attributes: ofReflector,
  },
  cacheObjects: {
    name: 'informer.cache.objects',
    description: 'Objects in the cache.',
    unit: '{object}',
    attributes: ofInformer,
  },
  staleness: {
    name: 'informer.staleness',
    description: 'How long ago the last message of the API server came.',
    unit: 's',
    attributes: ofInformer,
  },
  isSynced: {
    name: 'informer.synced',
    description: 'Whether the first list is in the cache (1).',
    unit: '1',
    attributes: ofInformer,
  },
  informerStatus: {
    name: 'informer.status',
    description: 'Informers of this name that are in this state.',
    unit: '{informer}',
    attributes: { ...ofInformer, 'informer.state': 'state' },
  },
  informerErrors: {
    name: 'informer.errors',
    description: 'Errors that the informer reported, by class and HTTP status.',
    unit: '{error}',
    attributes: { ...ofInformer, ...byClass },
  },
};
