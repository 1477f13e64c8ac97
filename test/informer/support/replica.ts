export { Replica } from '../../../src/testing/conformance/collection-agreement.js';
