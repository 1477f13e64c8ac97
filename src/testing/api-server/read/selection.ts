import { isRxInformersError } from '../../../kubernetes/errors.js';
import { matchesLabelSelector } from '../../../kubernetes/selector.js';
import { badRequest } from '../exchange/api-error.js';
import { storageKey, type ServedResource } from '../resources/catalog.js';
import type { StoredObject } from '../storage/stored-object.js';

/** The objects of a resource that a LIST, a WATCH or a DELETE of a collection selects. */
export interface SelectedObjects {
  /** The common prefix of the keys of these objects. */
  readonly prefix: string;
  /** True if there is a label or field selector. Then a list has no `remainingItemCount`. */
  readonly selective: boolean;
  readonly matches: (object: StoredObject) => boolean;
}

export function parseSelection(
  resource: ServedResource,
  namespace: string,
  options: { readonly labelSelector: string; readonly fieldSelector: string },
): SelectedObjects {
  const predicates = [
    labelPredicate(options.labelSelector),
    parseFieldSelector(options.fieldSelector, resource),
  ].filter((predicate) => predicate !== undefined);
  return {
    prefix: namespace ? storageKey(namespace, '') : '',
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
    if (isRxInformersError(error, 'RXI_INVALID_SELECTOR'))
      throw badRequest(`unable to parse requirement: ${error.problem}`);
    throw error;
  }
}

interface Term {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

/** Parses a field selector (`a=b,c!=d`). Throws as the real server for wrong syntax and fields. */
function parseFieldSelector(text: string, resource: ServedResource): ((object: StoredObject) => boolean) | undefined {
  const terms = (text.match(/(?:\\.|[^,\\]|\\$)+/gs) ?? []).map((term) => parseTerm(term, text));
  if (terms.length === 0) return undefined;
  for (const { field } of terms) assertSelectable(field, resource);
  return (object) => terms.every(({ field, equal, value }) => (fieldValue(object, field) === value) === equal);
}

function parseTerm(term: string, whole: string): Term {
  const match = /^((?:\\.|[^=!\\])*)(==|!=|=)(.*)$/s.exec(term);
  const [, field = '', operator = '', value = ''] = match ?? [];
  if (match === null) throw badRequest(`invalid selector: '${whole}'; can't understand '${term}'`);
  return { field, equal: operator !== '!=', value: unescape(value) };
}

function unescape(value: string): string {
  return value.replace(/\\(.?)|=/gs, (sequence, escaped: string | undefined) => {
    if (sequence === '=') throw badRequest('invalid field selector: unescaped character in value: 61');
    if (escaped !== undefined && escaped !== '' && '\\,='.includes(escaped)) return escaped;
    throw badRequest(`invalid field selector: invalid escape sequence: ${sequence}`);
  });
}

function assertSelectable(field: string, resource: ServedResource): void {
  if (field === 'metadata.name' || field === 'metadata.namespace' || resource.selectableFields.includes(field)) return;
  if (resource.custom || resource.selectableFields.length > 0) throw badRequest(`field label not supported: ${field}`);
  throw badRequest(`"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`);
}

/** Returns the value of a field as a string. A missing value is `''`, as in the real server. */
function fieldValue(object: StoredObject, field: string): string {
  let value: unknown = object;
  for (const step of field.split('.')) {
    value =
      typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[step] : undefined;
  }
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
      return String(value);
    default:
      return field === 'spec.unschedulable' || field === 'spec.hostNetwork' ? 'false' : '';
  }
}
