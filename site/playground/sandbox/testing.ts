// The parts of rx-informers/testing that need only `node:util` of Node, which the sandbox replaces.
export { informerTest } from '../../../src/testing/marbles/informer-test.js';
export { watchMarbles } from '../../../src/testing/marbles/watch-marbles.js';

export { describeCollectionConformance } from '../../../src/testing/conformance/collection-conformance.js';
export { describeSourceConformance } from '../../../src/testing/conformance/source-conformance.js';
