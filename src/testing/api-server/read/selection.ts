import { InvalidSelectorError } from '../../../kubernetes/invalid-selector-error.js';
import { matchesLabelSelector } from '../../../kubernetes/selector.js';
import { badRequest } from '../api-error.js';
import { objectKey, type ServedResource } from '../resources/served-resource.js';
import type { StoredObject } from '../storage/stored-object.js';
import { parseFieldSelector } from './field-selector.js';

/** Which objects of a resource a LIST, a WATCH or a DELETE of a collection is about. */
export interface Selection {
  /** What the keys of all of them begin with. */
  readonly prefix: string;
  /** Without a selector every object under the prefix counts, and the rest of a page can be counted too. */
  readonly selective: boolean;
  readonly matches: (object: StoredObject) => boolean;
}

export function parseSelection(
  resource: ServedResource,
  namespace: string,
  options: { readonly labelSelector: string; readonly fieldSelector: string },
): Selection {
  const predicates = [
    labelPredicate(options.labelSelector),
    parseFieldSelector(options.fieldSelector, resource),
  ].filter((predicate) => predicate !== undefined);
  return {
    prefix: namespace ? objectKey(namespace, '') : '',
    selective: predicates.length > 0,
    matches: (object) => predicates.every((matches) => matches(object)),
  };
}

function labelPredicate(text: string): ((object: StoredObject) => boolean) | undefined {
  if (text === '') return undefined;
  try {
    const matches = matchesLabelSelector(text);
    return ({ metadata }) => matches(metadata.labels);
  } catch (error) {
    if (error instanceof InvalidSelectorError) throw badRequest(`unable to parse requirement: ${error.problem}`);
    throw error;
  }
}
