import type { Scenario } from './scenario.js';
import { compactionScenarios } from './scenarios/compaction.js';
import { customResourceScenarios } from './scenarios/custom-resources.js';
import { deletionScenarios } from './scenarios/deletions.js';
import { discoveryScenarios } from './scenarios/discovery.js';
import { fieldValidationScenarios } from './scenarios/field-validation.js';
import { listScenarios } from './scenarios/lists.js';
import { patchScenarios } from './scenarios/patches.js';
import { representationScenarios } from './scenarios/representations.js';
import { watchScenarios } from './scenarios/watches.js';
import { writeScenarios } from './scenarios/writes.js';

/** All scenarios for both servers. */
export const scenarios: readonly Scenario[] = [
  // Discovery comes first, because it would show the definitions of other scenarios.
  ...discoveryScenarios,
  ...listScenarios,
  ...representationScenarios,
  ...watchScenarios,
  ...compactionScenarios,
  ...writeScenarios,
  ...patchScenarios,
  ...fieldValidationScenarios,
  ...deletionScenarios,
  ...customResourceScenarios,
];
