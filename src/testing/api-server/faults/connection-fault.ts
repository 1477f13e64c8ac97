/** How a connection breaks: refused before any answer, cut off after what was sent, or reset at once. */
export type ConnectionBreak = 'refused' | 'cut' | 'reset';

/** What a fault did to a connection; the cause of the `ConnectionError` that a client of the embedded server sees. */
export class ConnectionFault extends Error {
  override readonly name = 'ConnectionFault';
  /** Node's word for it. */
  readonly code: 'ECONNREFUSED' | 'ECONNRESET';

  constructor(readonly how: ConnectionBreak) {
    super(`the connection was ${how === 'cut' ? 'cut off' : how} by a fault`);
    this.code = how === 'refused' ? 'ECONNREFUSED' : 'ECONNRESET';
  }
}
