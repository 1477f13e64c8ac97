import { isJsonObject, objectAt, stringAt, type JsonObject } from '../json/json-object.js';
import { customSchema, type Schema } from '../schema/schema.js';
import type { PrinterColumn, ScalePaths, ServedResource } from '../resources/served-resource.js';
import type { StoredObject } from '../storage/stored-object.js';

/** The resources that a CustomResourceDefinition defines: one for each served version. */
export function servedResourcesOf(definition: StoredObject): readonly ServedResource[] {
  const spec = objectAt(definition, 'spec');
  const names = objectAt(spec, 'names');
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
    hasGeneration: true,
    names: 'subdomain' as const,
  };
  return objectsAt(spec, 'versions')
    .filter((version) => version['served'] === true)
    .map((version) => ({ ...shared, ...versionTraits(version) }));
}

function versionTraits(
  version: JsonObject,
): Pick<ServedResource, 'version' | 'hasStatus' | 'scale' | 'selectableFields' | 'schema' | 'printerColumns'> {
  const subresources = objectAt(version, 'subresources');
  return {
    version: stringAt(version, 'name') ?? '',
    hasStatus: isJsonObject(subresources['status']),
    scale: scaleOf(subresources['scale']),
    selectableFields: objectsAt(version, 'selectableFields').map((field) =>
      (stringAt(field, 'jsonPath') ?? '').replace(/^\./, ''),
    ),
    schema: schemaIn(version),
    printerColumns: objectsAt(version, 'additionalPrinterColumns').map(printerColumn),
  };
}

function schemaIn(version: JsonObject): Schema | undefined {
  const schema = objectAt(version, 'schema')['openAPIV3Schema'];
  return isJsonObject(schema) ? customSchema(schema) : undefined;
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

function objectsAt(parent: JsonObject, field: string): readonly JsonObject[] {
  const value = parent[field];
  return Array.isArray(value) ? (value as readonly unknown[]).filter(isJsonObject) : [];
}

function stringsAt(parent: JsonObject, field: string): readonly string[] {
  const value = parent[field];
  return Array.isArray(value) ? (value as readonly unknown[]).filter((item) => typeof item === 'string') : [];
}
