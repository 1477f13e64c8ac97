import { branded } from './brand.js';

/**
 * Thrown by a run that would fail the same way each time: it is reported, and not tried again until its key is added again.
 *
 * @example
 * import { TerminalError } from 'rx-informers/controller';
 *
 * throw new TerminalError('spec.image is not an image name');
 */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

export const isTerminalError = branded(TerminalError, 'TerminalError');
