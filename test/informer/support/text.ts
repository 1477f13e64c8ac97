export { podText as textOf, textOfAll, textOfChanges } from '../../../src/testing/conformance/collection-under-test.js';
