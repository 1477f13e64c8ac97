import checkAlignment from '../node_modules/eslint-plugin-jsdoc/src/rules/checkAlignment.js';
import checkParamNames from '../node_modules/eslint-plugin-jsdoc/src/rules/checkParamNames.js';
import matchDescription from '../node_modules/eslint-plugin-jsdoc/src/rules/matchDescription.js';
import noBadBlocks from '../node_modules/eslint-plugin-jsdoc/src/rules/noBadBlocks.js';
import noTypes from '../node_modules/eslint-plugin-jsdoc/src/rules/noTypes.js';
import requireDescription from '../node_modules/eslint-plugin-jsdoc/src/rules/requireDescription.js';
import requireJsdoc from '../node_modules/eslint-plugin-jsdoc/src/rules/requireJsdoc.js';
import requireParam from '../node_modules/eslint-plugin-jsdoc/src/rules/requireParam.js';
import requireReturns from '../node_modules/eslint-plugin-jsdoc/src/rules/requireReturns.js';
import requireThrows from '../node_modules/eslint-plugin-jsdoc/src/rules/requireThrows.js';

/*
 * The rules for doc comments that oxlint does not have, or has without `contexts`, with which a
 * rule applies to public functions only. They are imported one by one, because the entry point of
 * the package imports ESLint, which is not installed.
 */
export default {
  meta: { name: 'docs' },
  rules: {
    'check-alignment': checkAlignment,
    'check-param-names': checkParamNames,
    'match-description': matchDescription,
    'no-bad-blocks': noBadBlocks,
    'no-types': noTypes,
    'require-description': requireDescription,
    'require-jsdoc': requireJsdoc,
    'require-param': requireParam,
    'require-returns': requireReturns,
    'require-throws': requireThrows,
  },
};
