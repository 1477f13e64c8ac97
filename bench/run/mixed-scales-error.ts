import type { Scale } from '../model/scenario.js';

/**
 * Thrown if a quick run would add results to a file with results of a full run, or a full run to a
 * file with results of a quick run. The two cannot be in one table.
 */
export class MixedScalesError extends Error {
  override readonly name = 'MixedScalesError';

  constructor(
    readonly folder: string,
    readonly scale: Scale,
  ) {
    super(`${folder} has results that are not of a ${scale} run; name another folder with --output`);
  }
}
