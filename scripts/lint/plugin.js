import { commentWidth } from './comment-width.js';
import { declaredPackages } from './declared-packages.js';
import { importOrder } from './import-order.js';
import { plainNames } from './plain-names.js';
import { redundantNotify } from './redundant-notify.js';
import * as restricted from './restricted-syntax.js';

/** The project's own rules, which oxlint runs as a plugin. */
export default {
  meta: { name: 'project' },
  rules: {
    'comment-width': commentWidth,
    'declared-packages': declaredPackages,
    'derived-namespace': restricted.derivedNamespace,
    'exact-options': restricted.exactOptions,
    'fixed-seeds': restricted.fixedSeeds,
    'import-order': importOrder,
    'injected-randomness': restricted.injectedRandomness,
    'injected-time': restricted.injectedTime,
    'no-nested-subscribe': restricted.nestedSubscribe,
    'no-redundant-notify': redundantNotify,
    'plain-names': plainNames,
    rxjs: restricted.rxjs,
    'unknown-errors': restricted.unknownErrors,
  },
};
