import { invalid, type FieldProblem } from '../exchange/api-error.js';
import { isJsonObject, objectField, stringAt, type JsonObject, objectsAt } from '../exchange/json.js';
import {
  type PrinterColumn,
  type RuleFunctions,
  type ScalePaths,
  type ServedResource,
  kindSubject,
} from '../resources/catalog.js';
import { type ServerContext, timestamp } from '../storage/server-context.js';
import type { StoredObject } from '../storage/stored-object.js';
import { objectRules } from './object-rules.js';
import { customSchema } from './schema.js';

/** A version of a resource that a CustomResourceDefinition defines. */
export interface DefinedResource {
  readonly resource: ServedResource;
  readonly isServed: boolean;
}

/** Returns the resources that a CustomResourceDefinition defines, one for each version. */
export function definedResourcesOf(definition: StoredObject, functions?: RuleFunctions): readonly DefinedResource[] {
  const spec = objectField(definition, 'spec');
  const names = objectField(spec, 'names');
  const kind = stringAt(names, 'kind') ?? '';
  const shared = {
    group: stringAt(spec, 'group') ?? '',
    plural: stringAt(names, 'plural') ?? '',
    singular: stringAt(names, 'singular') ?? kind.toLowerCase(),
    kind,
    listKind: stringAt(names, 'listKind') ?? `${kind}List`,
    namespaced: spec['scope'] !== 'Cluster',
    shortNames: stringsAt(names, 'shortNames'),
    categories: stringsAt(names, 'categories'),
    custom: true,
    isComputed: false,
    hasGeneration: true,
    names: 'subdomain' as const,
  };
  return objectsAt(spec, 'versions').map((version) => ({
    resource: { ...shared, ...versionTraits(version, definition.metadata.name, functions) },
    isServed: version['served'] === true,
  }));
}

type VersionTraits = 'version' | 'hasStatus' | 'scale' | 'selectableFields' | 'schema' | 'rules' | 'printerColumns';

function versionTraits(
  version: JsonObject,
  definition: string,
  functions: RuleFunctions | undefined,
): Pick<ServedResource, VersionTraits> {
  const subresources = objectField(version, 'subresources');
  const schema = objectField(version, 'schema')['openAPIV3Schema'];
  const scale = scaleOf(subresources['scale']);
  return {
    version: stringAt(version, 'name') ?? '',
    hasStatus: isJsonObject(subresources['status']),
    scale,
    selectableFields: objectsAt(version, 'selectableFields').map((field) =>
      (stringAt(field, 'jsonPath') ?? '').replace(/^\./, ''),
    ),
    schema: isJsonObject(schema) ? customSchema(schema) : undefined,
    rules: isJsonObject(schema) ? objectRules(definition, schema, { scale, functions }) : undefined,
    printerColumns: objectsAt(version, 'additionalPrinterColumns').map(printerColumn),
  };
}

function scaleOf(scale: unknown): ScalePaths | undefined {
  if (!isJsonObject(scale)) return undefined;
  return {
    specReplicasPath: stringAt(scale, 'specReplicasPath') ?? '.spec.replicas',
    statusReplicasPath: stringAt(scale, 'statusReplicasPath') ?? '.status.replicas',
    labelSelectorPath: stringAt(scale, 'labelSelectorPath'),
  };
}

function printerColumn(column: JsonObject): PrinterColumn {
  return {
    name: stringAt(column, 'name') ?? '',
    type: stringAt(column, 'type') ?? 'string',
    format: stringAt(column, 'format'),
    description: stringAt(column, 'description'),
    priority: typeof column['priority'] === 'number' ? column['priority'] : undefined,
    jsonPath: stringAt(column, 'jsonPath') ?? '',
  };
}

function stringsAt(parent: JsonObject, field: string): readonly string[] {
  const value = parent[field];
  return Array.isArray(value) ? (value as readonly unknown[]).filter((item) => typeof item === 'string') : [];
}

export const definitionsName = 'customresourcedefinitions.apiextensions.k8s.io';

export const cleanupFinalizerName = 'customresourcecleanup.apiextensions.k8s.io';

/** Returns a terminating definition with a status that shows it. Its generation stays. */
export function withTerminatingCondition(
  context: ServerContext,
  current: StoredObject,
  next: StoredObject,
): StoredObject {
  const { deletionGracePeriodSeconds: _deletionGracePeriodSeconds, ...metadata } = next.metadata;
  const { generation } = current.metadata;
  const status = objectField(current, 'status');
  const conditions: unknown = status['conditions'];
  const terminating = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: timestamp(context),
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  return {
    ...next,
    metadata: { ...metadata, ...(generation === undefined ? {} : { generation }) },
    status: {
      ...status,
      conditions: [...(Array.isArray(conditions) ? (conditions as readonly unknown[]) : []), terminating],
    },
  };
}

/** Adds defaults, and the status that controllers of a real cluster set a moment later. */
export function established(context: ServerContext, resource: ServedResource, definition: StoredObject): StoredObject {
  const spec = objectField(definition, 'spec');
  const names = objectField(spec, 'names');
  validate(resource, definition, spec, names);
  const kind = stringAt(names, 'kind') ?? '';
  const acceptedNames = {
    ...names,
    singular: stringAt(names, 'singular') ?? kind.toLowerCase(),
    listKind: stringAt(names, 'listKind') ?? `${kind}List`,
  };
  const versions = (spec['versions'] as readonly JsonObject[]).filter((version) => version['storage'] === true);
  const lastTransitionTime = timestamp(context);
  return {
    ...definition,
    spec: { ...spec, names: acceptedNames, conversion: spec['conversion'] ?? { strategy: 'None' } },
    status: {
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'True',
          lastTransitionTime,
          reason: 'NoConflicts',
          message: 'no conflicts found',
        },
        {
          type: 'Established',
          status: 'True',
          lastTransitionTime,
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        },
      ],
      acceptedNames,
      storedVersions: versions.map((version) => version['name']),
    },
  };
}

function validate(resource: ServedResource, definition: StoredObject, spec: JsonObject, names: JsonObject): void {
  const problems: FieldProblem[] = [];
  for (const [parent, field, path] of [
    [spec, 'group', 'spec.group'],
    [spec, 'scope', 'spec.scope'],
    [names, 'plural', 'spec.names.plural'],
    [names, 'kind', 'spec.names.kind'],
  ] as const) {
    if (!stringAt(parent, field))
      problems.push({ reason: 'FieldValueRequired', field: path, message: 'Required value' });
  }
  const versions: unknown = spec['versions'];
  const stored = Array.isArray(versions)
    ? (versions as readonly JsonObject[]).filter((version) => version['storage'] === true).length
    : 0;
  if (stored !== 1) {
    problems.push({
      reason: 'FieldValueInvalid',
      field: 'spec.versions',
      message: 'Invalid value: must have exactly one version marked as storage version',
    });
  }
  const name = `${stringAt(names, 'plural') ?? ''}.${stringAt(spec, 'group') ?? ''}`;
  if (definition.metadata.name !== name) {
    problems.push({
      reason: 'FieldValueInvalid',
      field: 'metadata.name',
      message: `Invalid value: ${JSON.stringify(definition.metadata.name)}: must be spec.names.plural+"."+spec.group`,
    });
  }
  if (problems.length > 0) throw invalid(kindSubject(resource, definition.metadata.name), problems);
}
