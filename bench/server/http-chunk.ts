/**
 * Returns a line of a watch as it is sent: as an HTTP chunk of its own.
 *
 * The API server writes each event separately, and Go's HTTP server makes a chunk of each write of
 * more than 2 KB. A client receives each chunk separately, which costs more than to receive the
 * same bytes in large pieces.
 */
export function httpChunk(line: string): string {
  return `${Buffer.byteLength(line).toString(16)}\r\n${line}\r\n`;
}
