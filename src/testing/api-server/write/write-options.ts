import type { Caller } from '../exchange/access-control.js';
import { fieldProblem, invalid, badRequest, type FieldProblem } from '../exchange/api-error.js';
import type { ApiRequest } from '../exchange/exchange.js';
import { isJsonObject, objectField, stringAt, type JsonObject } from '../exchange/json.js';
import type { FieldValidation } from '../schema/field-validation.js';
import { decodeYaml, jsonProblem, mediaTypeOf } from './decode-body.js';

export type WriteOptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

/** The writer, and the options in the query of a write. */
export interface WriteParameters {
  readonly caller: Caller;
  /** True if everything is done except the commit. */
  readonly dryRun: boolean;
  /** The manager that owns the changed fields. */
  readonly fieldManager: string;
  /** True if server-side apply may take over fields of other managers. */
  readonly force: boolean;
  /** The handling of unknown and duplicate fields; default `Warn`. */
  readonly fieldValidation: FieldValidation;
}

export function parseWriteOptions(caller: Caller, request: ApiRequest, kind: WriteOptionsKind): WriteParameters {
  return {
    caller,
    dryRun: parseDryRun(request.query.getAll('dryRun'), kind),
    fieldManager:
      request.query.get('fieldManager') || request.headers['user-agent']?.split('/')[0]?.slice(0, 128) || 'unknown',
    force: request.query.get('force') === 'true',
    fieldValidation: parseFieldValidation(request.query.get('fieldValidation') ?? '', kind),
  };
}

function parseFieldValidation(value: string, kind: WriteOptionsKind): FieldValidation {
  if (value === '') return 'Warn';
  if (value === 'Ignore' || value === 'Warn' || value === 'Strict') return value;
  const problem = `${JSON.stringify(value)}: supported values: "", "Ignore", "Strict", "Warn"`;
  throw invalid({ group: 'meta.k8s.io', kind }, [fieldProblem('NotSupported', 'fieldValidation', problem)]);
}

function parseDryRun(values: readonly unknown[], kind: WriteOptionsKind): boolean {
  const stated = values.filter((value) => value !== '');
  if (stated.every((value) => value === 'All')) return stated.length > 0;
  const problem = `${JSON.stringify(stated)}: supported values: "All"`;
  throw invalid({ group: 'meta.k8s.io', kind }, [fieldProblem('NotSupported', 'dryRun', problem)]);
}

export type PropagationPolicy = 'Foreground' | 'Background' | 'Orphan';

/** Options of a DELETE: from its body, or else from the query, as in the real server. */
export interface DeleteParameters {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: PropagationPolicy | undefined;
  readonly preconditions: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined };
}

/** Returns the options of a DELETE that a controller sends. */
export function deleteParameters(propagationPolicy?: PropagationPolicy): DeleteParameters {
  return { dryRun: false, gracePeriodSeconds: undefined, propagationPolicy, preconditions: {} };
}

const policies = ['Foreground', 'Background', 'Orphan'] as const;

export function parseDeleteOptions(request: ApiRequest): DeleteParameters {
  const body = request.body.trim() === '' ? fromQuery(request.query) : decode(request);
  const policy = body['propagationPolicy'];
  const orphan = body['orphanDependents'];
  const problems: FieldProblem[] = [];
  if (typeof policy === 'string' && !policies.some((known) => known === policy)) {
    const problem = `"${policy}": supported values: "Foreground", "Background", "Orphan", "nil"`;
    problems.push(fieldProblem('NotSupported', 'propagationPolicy', problem));
  }
  if (policy !== undefined && orphan !== undefined) {
    const problem = `${JSON.stringify(policy)}: orphanDependents and deletionPropagation cannot be both set`;
    problems.push(fieldProblem('Invalid', 'propagationPolicy', problem));
  }
  if (problems.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, problems);
  const dryRun = Array.isArray(body['dryRun']) ? (body['dryRun'] as unknown[]) : [];
  const grace = body['gracePeriodSeconds'];
  const preconditions = objectField(body, 'preconditions');
  return {
    dryRun: parseDryRun(dryRun, 'DeleteOptions'),
    gracePeriodSeconds: typeof grace === 'number' ? Math.max(0, grace) : undefined,
    propagationPolicy: policies.find((known) => known === policy) ?? (orphan === true ? 'Orphan' : undefined),
    preconditions: { uid: stringAt(preconditions, 'uid'), resourceVersion: stringAt(preconditions, 'resourceVersion') },
  };
}

function fromQuery(query: URLSearchParams): JsonObject {
  const grace = query.get('gracePeriodSeconds');
  const policy = query.get('propagationPolicy');
  const orphan = query.get('orphanDependents');
  return {
    dryRun: query.getAll('dryRun'),
    ...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(policy === null ? {} : { propagationPolicy: policy }),
    ...(orphan === null ? {} : { orphanDependents: orphan === 'true' }),
  };
}

function decode(request: ApiRequest): JsonObject {
  const value = mediaTypeOf(request) === 'application/yaml' ? decodeYaml(request.body) : parse(request.body);
  if (isJsonObject(value)) return value;
  throw badRequest("couldn't get version/kind; json parse error: the body is not a JSON object");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${jsonProblem(error, text)}`);
  }
}
