import type { KubernetesObject } from '../kubernetes/object.js';
import type { SortValue } from '../views/window/sort-order.js';
import type { WindowOptions } from '../views/window/window-options.js';

/** A part of the sorted objects of a subscription, as data. */
export interface WindowRequest {
  /** The most important field first. Rows that are equal in all fields are sorted by key. */
  readonly sortBy: readonly HubSortField[];
  /** Only rows in which the field contains the text, without regard to case. Default: all rows. */
  readonly where?: HubTextFilter | undefined;
  /** The number of rows to skip. */
  readonly offset: number;
  /** The number of rows to receive, at most 1,000. */
  readonly limit: number;
}

/** A field to sort by. */
export interface HubSortField {
  /** The names from the object to the field, for example `['metadata', 'name']`. */
  readonly path: readonly string[];
  /** Default `ascending`. */
  readonly direction?: 'ascending' | 'descending' | undefined;
}

/** A condition on the text of a field. */
export interface HubTextFilter {
  /** The names from the object to the field, for example `['metadata', 'name']`. */
  readonly path: readonly string[];
  /** The text that the field must contain, at most 4,096 UTF-16 code units. */
  readonly includes: string;
}

const maxRows = 1_000;
const maxSortFields = 5;
const maxPath = 16;
const maxName = 256;
const maxFilter = 4_096;

/** Returns the window of a message; `undefined` if any part of it is invalid. */
export function parsedWindow(value: unknown): WindowRequest | undefined {
  const { sortBy, where, offset, limit } = Object(value) as Readonly<Record<string, unknown>>;
  if (!Array.isArray(sortBy) || sortBy.length > maxSortFields) return undefined;
  const fields = sortBy.map(parsedSortField);
  const filter = where === undefined ? undefined : parsedFilter(where);
  const isValid =
    fields.every((field) => field !== undefined) &&
    (filter === undefined) === (where === undefined) &&
    isCount(offset) &&
    isCount(limit) &&
    limit <= maxRows;
  return isValid ? { sortBy: fields, where: filter, offset, limit } : undefined;
}

/** Returns the options of `window$` for a request. */
export function windowOptionsOf({
  sortBy,
  where,
  offset,
  limit,
}: WindowRequest): WindowOptions<KubernetesObject, never> {
  const text = where?.includes.toLowerCase() ?? '';
  return {
    sortBy: sortBy.map(({ path, direction }) => ({ value: (object) => sortValue(valueAt(object, path)), direction })),
    offset,
    limit,
    ...(where !== undefined && {
      where: (object) =>
        String(sortValue(valueAt(object, where.path)) ?? '')
          .toLowerCase()
          .includes(text),
    }),
  };
}

/** Returns the value at a path of own fields; `undefined` if there is none. */
function valueAt(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

function sortValue(value: unknown): SortValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

function parsedSortField(value: unknown): HubSortField | undefined {
  const { path, direction } = Object(value) as Readonly<Record<string, unknown>>;
  if (!isPath(path)) return undefined;
  if (direction === undefined) return { path };
  return direction === 'ascending' || direction === 'descending' ? { path, direction } : undefined;
}

function parsedFilter(value: unknown): HubTextFilter | undefined {
  const { path, includes } = Object(value) as Readonly<Record<string, unknown>>;
  if (!isPath(path) || typeof includes !== 'string' || includes.length > maxFilter) return undefined;
  return { path, includes };
}

function isPath(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxPath) return false;
  return value.every((name) => typeof name === 'string' && name.length <= maxName);
}

/** Returns true for a whole number of at least 0. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
