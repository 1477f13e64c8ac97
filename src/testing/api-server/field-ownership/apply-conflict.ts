import { type RxInformersError } from '../../../kubernetes/errors.js';
import { apiError } from '../exchange/api-error.js';
import { pathOfKey, printPath } from './field-path.js';
import type { FieldManager } from './managers.js';

/** A field of another manager that an apply would change. */
export interface FieldConflict {
  readonly manager: FieldManager;
  readonly field: string;
}

/** Returns a 409 with the message of the real server. */
export function applyConflict(conflicts: readonly FieldConflict[]): RxInformersError<'RXI_API'> {
  const causes = conflicts.map(({ manager, field }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${printManager(manager)}`,
    field: printPath(pathOfKey(field)),
  }));
  return apiError(409, 'Conflict', messageOf(conflicts), { details: { causes } });
}

function messageOf(conflicts: readonly FieldConflict[]): string {
  const [only] = conflicts;
  if (conflicts.length === 1 && only !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${printManager(only.manager)}: ${printPath(pathOfKey(only.field))}`;
  }
  const lines = [...new Set(conflicts.map(({ manager }) => manager))].flatMap((manager) => [
    `conflicts with ${printManager(manager)}:`,
    ...conflicts
      .filter((conflict) => conflict.manager === manager)
      .map(({ field }) => `- ${printPath(pathOfKey(field))}`),
  ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function printManager({ name, operation, apiVersion, subresource }: FieldManager): string {
  const through = subresource === '' ? '' : ` with subresource "${subresource}"`;
  return `"${name}"${through}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
