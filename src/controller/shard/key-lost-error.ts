/**
 * Why the signal of a run was aborted: this replica does not own the key any more. The run ends as
 * skipped; it has not failed.
 */
export class KeyLostError extends Error {
  override readonly name = 'KeyLostError';
  constructor(readonly key: string) {
    super(`key ${JSON.stringify(key)} is no longer owned by this replica; its run was aborted`);
  }
}
