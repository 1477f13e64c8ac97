import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Returns these lines, each with the line ending of HTTP. */
export function lines(...parts: readonly string[]): string {
  return parts.map((part) => `${part}\r\n`).join('');
}

/**
 * Writes bytes that no HTTP client would send. Returns everything that the server sends until it
 * closes the connection.
 */
export async function rawExchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(bytes, 'latin1');
  return (await buffer(socket)).toString('latin1');
}

/** Returns the status codes of all responses in the text. */
export function codesIn(answers: string): readonly number[] {
  return [...answers.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, code]) => Number(code));
}
