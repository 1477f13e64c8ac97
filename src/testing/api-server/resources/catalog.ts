import type { Resource } from '../../../kubernetes/resource.js';
import type { FieldProblem, Subject } from '../exchange/api-error.js';
import type { JsonObject } from '../exchange/json.js';
import table from './built-in-kinds.json' with { type: 'json' };

/** One resource in one version, as the embedded API server serves it. */
export interface ServedResource {
  /** The API group; `''` is the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Defined by a CustomResourceDefinition: list items have a kind; no strategic merge patch. */
  readonly custom: boolean;
  readonly hasStatus: boolean;
  /** True if `metadata.generation` counts changes outside metadata and status. */
  readonly hasGeneration: boolean;
  readonly scale: ScalePaths | undefined;
  /** Besides `metadata.name` and `metadata.namespace`, which all field selectors may name. */
  readonly selectableFields: readonly string[];
  readonly names: 'subdomain' | 'path-segment';
  /** `undefined` for built-in kinds, and if the definition has no schema. */
  readonly schema: Schema | undefined;
  /** `undefined` for built-in kinds, and if the definition has no schema. */
  readonly rules: ObjectRules | undefined;
  /** Further columns of the table form, by JSONPath (custom resources only). */
  readonly printerColumns: readonly PrinterColumn[];
  /** Computed for each request and never stored: can be read, not watched or written. */
  readonly isComputed: boolean;
}

/** Defaults and validation of the objects of a custom resource, by the schema of its version. */
export interface ObjectRules {
  /**
   * Returns the object with its defaults, without fields that the schema lacks, and without each
   * null that means nothing. `keepsNulls`: the latter stay, as in server-side apply.
   */
  readonly complete: (object: JsonObject, keepsNulls: boolean) => JsonObject;
  /** Returns the problems of an object to store. `current`: the stored one, for an update. */
  readonly problems: (
    next: JsonObject,
    current: JsonObject | undefined,
    subresource: string,
  ) => readonly FieldProblem[];
}

/**
 * Evaluates a rule of `x-kubernetes-validations`. Returns true if the value is valid.
 *
 * @param self the value that the rule is about
 * @param oldSelf the value before an update; `undefined` if there was none
 */
type RuleFunction = (self: never, oldSelf: never) => boolean;

/** The functions for the rules of one definition, by the text of the rule in the definition. */
export type RuleFunctions = Readonly<Record<string, RuleFunction>>;

/** What the `scale` subresource of a custom resource shows: paths such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string | undefined;
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  readonly priority?: number | undefined;
  readonly jsonPath: string;
}

/**
 * Returns the `apiVersion` of objects of a resource.
 *
 * @param resource the group and version of the resource
 * @returns for example `apps/v1`, or `v1` in the core group
 */
export function servedApiVersion({ group, version }: { readonly group: string; readonly version: string }): string {
  return group ? `${group}/${version}` : version;
}

/** Returns an object as this version of its resource shows it: with the defaults of the schema. */
export function completed<T extends JsonObject>({ rules }: ServedResource, object: T, keepsNulls = false): T {
  return rules === undefined ? object : (rules.complete(object, keepsNulls) as T);
}

/** Names the storage. All versions of a resource share it, and therefore their objects. */
export function storageName({ group, plural }: { readonly group: string; readonly plural: string }): string {
  return group ? `${plural}.${group}` : plural;
}

/** For messages about a resource, for example `deployments.apps "web" not found`. */
export function resourceSubject(resource: ServedResource, name?: string): Subject {
  return { group: resource.group, kind: resource.plural, ...(name === undefined ? {} : { name }) };
}

/** For messages about a kind, for example `Deployment.apps "web" is invalid`. */
export function kindSubject(resource: ServedResource, name?: string): Subject {
  return { group: resource.group, kind: resource.kind, ...(name === undefined ? {} : { name }) };
}

export function storageKey(namespace: string, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** Returns the beginning of messages about a body that is not an object of its kind. */
export function kindMismatch({ kind, version }: ServedResource): string {
  return `${kind} in version "${version}" cannot be handled as a ${kind}`;
}

/** The served resources. Custom ones are added and removed while the server runs. */
export class Catalog {
  readonly #resources = new Map<string, ServedResource>();
  readonly #kinds = new Map<string, ServedResource>();

  constructor(resources: readonly ServedResource[]) {
    for (const resource of resources) this.add(resource);
  }

  add(resource: ServedResource): void {
    this.#resources.set(addressOf(resource), resource);
    this.#kinds.set(`${servedApiVersion(resource)}/${resource.kind}`, resource);
  }

  /** Removes all versions of a resource. */
  remove(resource: { readonly group: string; readonly plural: string }): void {
    for (const known of this.versionsOf(resource)) {
      this.#resources.delete(addressOf(known));
      this.#kinds.delete(`${servedApiVersion(known)}/${known.kind}`);
    }
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#resources.get(addressOf({ group, version, plural }));
  }

  findKind(apiVersion: string, kind: string): ServedResource | undefined {
    return this.#kinds.get(`${apiVersion}/${kind}`);
  }

  versionsOf(resource: { readonly group: string; readonly plural: string }): readonly ServedResource[] {
    const name = storageName(resource);
    return this.all().filter((known) => storageName(known) === name);
  }

  all(): readonly ServedResource[] {
    return [...this.#resources.values()];
  }

  /** Returns groups other than core with their versions, the preferred one first. */
  groups(): ReadonlyMap<string, readonly string[]> {
    const groups = new Map<string, string[]>();
    for (const { group, version } of this.#resources.values()) {
      if (group === '') continue;
      const versions = groups.get(group) ?? [];
      if (!versions.includes(version)) versions.push(version);
      groups.set(group, versions);
    }
    return groups;
  }

  inGroupVersion(group: string, version: string): readonly ServedResource[] {
    return this.all().filter((resource) => resource.group === group && resource.version === version);
  }
}

function addressOf({
  group,
  version,
  plural,
}: {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}): string {
  return `${group}/${version}/${plural}`;
}

/** The subset of JSON Schema that OpenAPI documents and CustomResourceDefinitions use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly [extension: `x-kubernetes-${string}`]: unknown;
}

/** A row of the generated table of built-in kinds. Omitted fields are empty or false. */
export interface BuiltInKind extends Pick<ServedResource, 'group' | 'version' | 'plural' | 'kind' | 'namespaced'> {
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly hasStatus?: boolean;
  readonly hasScale?: boolean;
  readonly hasGeneration?: boolean;
  readonly selectableFields?: readonly string[];
  readonly names?: ServedResource['names'];
  readonly isComputed?: boolean;
}

/** Every built-in kind in its stable versions, the preferred version first. */
export const builtInKinds = table.kinds as readonly BuiltInKind[];

/** Returns the resource of a row of the table. */
export function builtInResource({ hasScale = false, ...kind }: BuiltInKind): ServedResource {
  return {
    shortNames: [],
    categories: [],
    hasStatus: false,
    hasGeneration: false,
    selectableFields: [],
    names: 'subdomain',
    isComputed: false,
    ...kind,
    singular: kind.kind.toLowerCase(),
    listKind: `${kind.kind}List`,
    custom: false,
    scale: hasScale ? { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } : undefined,
    schema: undefined,
    rules: undefined,
    printerColumns: [],
  };
}

/** For a descriptor that is not in the table: with a status and a generation. */
export function fromDescriptor({ kind, ...descriptor }: Resource<unknown>): ServedResource {
  const { group, version, plural, namespaced } = descriptor;
  const address = { group, version, plural, namespaced, kind: kind ?? kindFromPlural(plural) };
  return builtInResource({ ...address, hasStatus: true, hasGeneration: true });
}

function kindFromPlural(plural: string): string {
  const singular = plural
    .replace(/ies$/, 'y')
    .replace(/(s|x|ch|sh)es$/, '$1')
    .replace(/s$/, '');
  return singular.charAt(0).toUpperCase() + singular.slice(1);
}
