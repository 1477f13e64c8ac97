export { dataStreams } from '../../../src/testing/conformance/collection-agreement.js';
