import { invalid } from '../api-error.js';
import type { ApiRequest } from '../exchange.js';
import type { FieldValidation } from '../schema/field-validation.js';

export type WriteOptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

/** What the query of a write says about how to write. */
export interface WriteOptions {
  /** Everything is done but the commit. */
  readonly dryRun: boolean;
  /** Who the changed fields belong to. */
  readonly fieldManager: string;
  /** Take over fields that belong to others (server-side apply). */
  readonly force: boolean;
  /** What happens to unknown and duplicate fields; the default is `Warn`. */
  readonly fieldValidation: FieldValidation;
}

export function parseWriteOptions(request: ApiRequest, kind: WriteOptionsKind): WriteOptions {
  return {
    dryRun: parseDryRun(request.query.getAll('dryRun'), kind),
    fieldManager: request.query.get('fieldManager') || managerFromUserAgent(request.headers['user-agent']),
    force: request.query.get('force') === 'true',
    fieldValidation: parseFieldValidation(request.query.get('fieldValidation') ?? '', kind),
  };
}

function parseFieldValidation(value: string, kind: WriteOptionsKind): FieldValidation {
  if (value === '') return 'Warn';
  if (value === 'Ignore' || value === 'Warn' || value === 'Strict') return value;
  throw invalid({ group: 'meta.k8s.io', kind }, [
    {
      reason: 'FieldValueNotSupported',
      field: 'fieldValidation',
      message: `Unsupported value: ${JSON.stringify(value)}: supported values: "", "Ignore", "Strict", "Warn"`,
    },
  ]);
}

export function parseDryRun(values: readonly unknown[], kind: WriteOptionsKind): boolean {
  const given = values.filter((value) => value !== '');
  if (given.every((value) => value === 'All')) return given.length > 0;
  throw invalid({ group: 'meta.k8s.io', kind }, [
    {
      reason: 'FieldValueNotSupported',
      field: 'dryRun',
      message: `Unsupported value: ${JSON.stringify(given)}: supported values: "All"`,
    },
  ]);
}

/** The part before the first slash, as the real server names a client that does not name itself. */
function managerFromUserAgent(userAgent: string | undefined): string {
  return userAgent?.split('/')[0]?.slice(0, 128) || 'unknown';
}
