/** Why the signal of a run was aborted: its key is no longer this replica's. It is a reason, and no failure: the run ends well. */
export class KeyLostError extends Error {
  override readonly name = 'KeyLostError';
  constructor(readonly key: string) {
    super(`key ${JSON.stringify(key)} is no longer owned by this replica; its run was aborted`);
  }
}
