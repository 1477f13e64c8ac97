import type { Scale } from '../scenario.js';

/** A quick run was told to write where results of a full one are, or the other way round: they cannot be in one table. */
export class MixedScalesError extends Error {
  override readonly name = 'MixedScalesError';

  constructor(
    readonly folder: string,
    readonly scale: Scale,
  ) {
    super(`${folder} has results that are not of a ${scale} run; name another folder with --output`);
  }
}
