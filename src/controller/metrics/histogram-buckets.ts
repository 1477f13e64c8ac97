import type { RecordedFact } from './metric-definitions.js';

/** Powers of ten, as in controller-runtime. The smallest stay empty: the clock counts ms. */
const ofQueue = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1_000];

/** The buckets of controller-runtime for reconciles. */
const ofReconcile = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** The buckets for lists, and for writes until the caches show them. */
const ofWaits = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Seconds: a frame takes 0.016; a subscriber is slow above 0.05. The clock counts ms. */
const ofAnnouncements = [0.001, 0.002, 0.005, 0.01, 0.016, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

const ofItems = [0, 1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];

/** Inclusive upper bounds. client-go has summaries; histograms can be added up over replicas. */
export const histogramBuckets: Readonly<Record<RecordedFact, readonly number[]>> = {
  queueDuration: ofQueue,
  workDuration: ofQueue,
  reconcileDuration: ofReconcile,
  observeDuration: ofWaits,
  listDuration: ofWaits,
  listItems: ofItems,
  // By default, the server ends a watch after 5 to 10 minutes.
  watchDuration: [1, 5, 15, 30, 60, 120, 300, 450, 600, 1_200],
  watchItems: ofItems,
  announcementDuration: ofAnnouncements,
  announcementDelay: ofAnnouncements,
};
