import { invalid, type FieldProblem } from '../api-error.js';
import { objectAt, stringAt, type JsonObject } from '../json/json-object.js';
import { kindSubject, type ServedResource } from '../resources/served-resource.js';
import { timestamp, type ServerContext } from '../server-context.js';
import type { StoredObject } from '../storage/stored-object.js';

export const definitionsName = 'customresourcedefinitions.apiextensions.k8s.io';

export const cleanupFinalizerName = 'customresourcecleanup.apiextensions.k8s.io';

/** A definition that is being deleted: its generation stands, and its status says what is going on. */
export function withTerminatingCondition(
  context: ServerContext,
  current: StoredObject,
  next: StoredObject,
): StoredObject {
  const { deletionGracePeriodSeconds: _deletionGracePeriodSeconds, ...metadata } = next.metadata;
  const { generation } = current.metadata;
  const status = objectAt(current, 'status');
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

/** A new definition with the defaults and the status that the real server's controllers give it a moment later. */
export function established(context: ServerContext, resource: ServedResource, definition: StoredObject): StoredObject {
  const spec = objectAt(definition, 'spec');
  const names = objectAt(spec, 'names');
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
