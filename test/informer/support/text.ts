export { textOf, textOfAll, textOfChanges } from '../../../src/testing/conformance/text.js';
