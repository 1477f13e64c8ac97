// The embedded API server in memory, objects, faults and the virtual clock: everything that also
// runs in a browser
export * from './in-memory.js';

// The API server on a port
export { createApiServer, type ApiServer, type ApiServerOptions } from './http/api-server.js';
export type { KubeConfigObject, KubeConfigObjectCluster } from './http/api-server.js';

// Marble diagrams
export { informerTest } from './marbles/informer-test.js';
export type {
  InformerTestHelpers,
  InformerTestOptions,
  MarbleExpectation,
  MarbleSource,
  QueryExpectation,
} from './marbles/informer-test.js';
export { watchMarbles, type WatchMarblesOptions } from './marbles/watch-marbles.js';
export type { MarbleObjects } from './marbles/marble-objects.js';
export type { ObjectsEmitted } from './marbles/expected-emissions.js';
export { type TimelineMoment } from './marbles/timeline.js';

// Simulation
export { simulate, type SimulateOptions, type SimulationReport } from './simulate/simulate.js';
export { simulationPoints, type PointCount, type SimulationPoint } from './simulate/choices.js';
export type { SimulatedProgram, SimulationTeardown } from './simulate/run.js';
export type { LeaseTimes, SimulatedReplica } from './simulate/replica.js';

// Recordings
export { recordSource, replayFile, type LineSink, type RecordOptions } from './record/record.js';

// Conformance suites for a source or a cache of your own
export { describeCollectionConformance } from './conformance/collection-conformance.js';
export type { CollectionUnderTest, ConformanceObject } from './conformance/collection-under-test.js';
export { describeSourceConformance, type SourceUnderTest } from './conformance/source-conformance.js';
export { type ConformanceOptions, type TestRunner } from './conformance/test-runner.js';
