import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Lines as they stand on the wire. */
export function lines(...parts: readonly string[]): string {
  return parts.map((part) => `${part}\r\n`).join('');
}

/** Writes bytes that no HTTP client would, and gives what comes back until the other side hangs up. */
export async function rawExchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(bytes, 'latin1');
  return (await buffer(socket)).toString('latin1');
}

/** The status codes of all answers in it. */
export function codesIn(answers: string): readonly number[] {
  return [...answers.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, code]) => Number(code));
}
