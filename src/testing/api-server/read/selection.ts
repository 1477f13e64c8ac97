import { InvalidSelectorError } from '../../../kubernetes/invalid-selector-error.js';
import { matchesLabelSelector } from '../../../kubernetes/selector.js';
import { badRequest } from '../api-error.js';
import { objectKey, type ServedResource } from '../resources/served-resource.js';
import type { ShardInfo } from './representation.js';
import type { StoredObject } from '../storage/stored-object.js';
import { parseFieldSelector } from './field-selector.js';
import { parseShardSelector } from './shard-selector.js';

/** Which objects of a resource a LIST, a WATCH or a DELETE of a collection is about. */
export interface Selection {
  /** What the keys of all of them begin with. */
  readonly prefix: string;
  /** With a selector the rest of a page is not counted. A shard is no such selector: the real server counts what is of other shards, too. */
  readonly selective: boolean;
  readonly matches: (object: StoredObject) => boolean;
  /** What the list says of the shard that it is. */
  readonly shardInfo: ShardInfo | undefined;
}

export function parseSelection(
  resource: ServedResource,
  namespace: string,
  options: { readonly labelSelector: string; readonly fieldSelector: string; readonly shardSelector: string },
): Selection {
  const predicates = [
    labelPredicate(options.labelSelector),
    parseFieldSelector(options.fieldSelector, resource),
  ].filter((predicate) => predicate !== undefined);
  const shard = options.shardSelector === '' ? undefined : parseShardSelector(options.shardSelector);
  return {
    prefix: namespace ? objectKey(namespace, '') : '',
    selective: predicates.length > 0,
    matches: (object) => (shard?.matches(object) ?? true) && predicates.every((matches) => matches(object)),
    shardInfo: shard && { selector: shard.selector },
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
