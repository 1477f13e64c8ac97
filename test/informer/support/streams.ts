export { dataStreams } from '../../../src/testing/conformance/data-streams.js';
