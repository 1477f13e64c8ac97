export { Replica } from '../../../src/testing/conformance/replica.js';
