import { leader$ } from 'rx-informers/controller';
import type { Observable } from 'rxjs';
import { websiteOperator } from '../../website-operator/operator.js';
import { plainOperator } from '../../website-operator/plain-operator.js';
import type { Stage } from './stage.js';

/** One of the two forms of the example. */
export interface OperatorForm {
  readonly name: string;
  /**
   * True for the complete operator. False for the core, which has no finalizer, no directory and no
   * events, and tries every spec without validation.
   */
  readonly isComplete: boolean;
  readonly start: (stage: Stage) => Observable<unknown>;
}

export const completeForm: OperatorForm = {
  name: 'websiteOperator',
  isComplete: true,
  start: ({ client, namespace }) => {
    const identity = 'operator-0';
    const leader = leader$(client, { lease: { namespace, name: 'website-operator' }, identity });
    return websiteOperator({ client, leader, identity, namespace, watchNamespace: namespace });
  },
};

export const plainForm: OperatorForm = {
  name: 'plainOperator',
  isComplete: false,
  start: ({ client, namespace }) => plainOperator(client, { namespace }),
};
