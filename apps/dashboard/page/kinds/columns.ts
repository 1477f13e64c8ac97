import { JSONPath } from 'jsonpath-plus';
import type { ReactNode } from 'react';
import { customResourceDefinitions, type CustomResourceDefinition, type KubeClient, type Resource } from 'rx-informers';
import { resourceClient } from 'rx-informers/requests';
import { catchError, map, of, type Observable } from 'rxjs';
import { builtInColumns } from './built-in-columns.js';
import { isCustom, type AnyObject } from './discovery.js';

/** The value of a cell: text, a number, a time (shown as an age), or nothing. */
export type CellValue = string | number | boolean | undefined;

/** One column of the table of a kind. */
export interface KindColumn {
  /** The name of the column in the parameter `order` of the address. It has only letters. */
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly type: 'text' | 'number' | 'age';
  readonly value: (object: AnyObject) => CellValue;
  /** Draws the content of a cell; default: the value. In the column `name`, drawn beside the name. */
  readonly cell?: (object: AnyObject) => ReactNode;
}

/**
 * Emits the columns of a kind, besides name, namespace and age. They are the built-in columns of
 * this page, or the printer columns of the CustomResourceDefinition. Emits none if the user may not
 * read the definition.
 */
export function columnsOf(client: KubeClient, resource: Resource<unknown>): Observable<readonly KindColumn[]> {
  const known = builtInColumns(resource);
  if (known !== undefined) return of(known);
  const { group, plural, version } = resource;
  if (!isCustom(group)) return of([]);
  return resourceClient(client, customResourceDefinitions)
    .get(`${plural}.${group}`)
    .pipe(
      map((definition) => printerColumns(definition, version)),
      catchError(() => of([])),
    );
}

type Version = Pick<CustomResourceDefinition['spec']['versions'][number], 'name' | 'additionalPrinterColumns'>;

/**
 * Returns the printer columns of one version. Omits columns that `kubectl get` shows only with `-o
 * wide`.
 */
export function printerColumns(
  { spec }: { readonly spec: { readonly versions: readonly Version[] } },
  version: string,
): readonly KindColumn[] {
  const columns = spec.versions.find(({ name }) => name === version)?.additionalPrinterColumns ?? [];
  const nameOf = distinctNames();
  const shown = columns.filter(
    ({ priority = 0, jsonPath }) => priority === 0 && jsonPath !== '.metadata.creationTimestamp',
  );
  return shown.map(({ name, type, jsonPath, description }) => ({
    name: nameOf(name),
    title: name,
    ...(description !== undefined && { description }),
    type: type === 'date' ? 'age' : type === 'integer' || type === 'number' ? 'number' : 'text',
    value: reader(jsonPath),
  }));
}

/**
 * Returns a function that returns a different name for each column, for the address: the letters of
 * its title. If another column has that name, `x` is appended until none has it.
 */
function distinctNames(): (title: string) => string {
  const taken = new Set(['name', 'namespace', 'age']);
  return (title) => {
    let name = title.replace(/[^a-z]/gi, '').toLowerCase() || 'column';
    while (taken.has(name)) name += 'x';
    taken.add(name);
    return name;
  };
}

/**
 * Returns a function that reads a Kubernetes JSONPath
 * (`.status.conditions[?(@.type=="Ready")].status`) from an object.
 */
export function reader(jsonPath: string): (object: AnyObject) => CellValue {
  const path = standardPath(jsonPath);
  return (object) => {
    try {
      const found = JSONPath<unknown[]>({ path, json: object, eval: 'safe', wrap: true });
      return cellOf(found);
    } catch {
      // A path that cannot be read shows nothing, as in kubectl.
      return undefined;
    }
  };
}

/** A name with escaped dots: `.metadata.annotations.example\.com/owner`. */
const escapedName = /\.((?:[^.[\]\\]|\\.)*\\\.(?:[^.[\]\\]|\\.)*)/g;
const quotedName = /\['[^']*'\]/g;

/**
 * Converts a Kubernetes JSONPath to a standard one. Kubernetes omits `$`, and escapes dots in
 * names.
 */
export function standardPath(jsonPath: string): string {
  const path = jsonPath.replace(/^\{(.*)\}$/, '$1').replace(/^\$/, '');
  const named = path.replace(escapedName, (_, name: string) => `['${name}']`);
  return `$${named.replace(quotedName, (name) => name.replaceAll('\\', ''))}`;
}

function cellOf(found: readonly unknown[] | undefined): CellValue {
  const values = found ?? [];
  if (values.length === 0) return undefined;
  if (values.length > 1) return values.map(textOf).join(',');
  const [value] = values;
  return typeof value === 'number' || typeof value === 'boolean' ? value : textOf(value);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
