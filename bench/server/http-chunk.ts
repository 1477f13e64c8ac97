/**
 * A line of a watch as it goes over the wire: an HTTP chunk of its own.
 *
 * The API server writes each event by itself, and Go's HTTP server makes a chunk of each write of more than 2 KB. A client is
 * told of each chunk by itself, which costs it more than the same bytes in large pieces would.
 */
export function httpChunk(line: string): string {
  return `${Buffer.byteLength(line).toString(16)}\r\n${line}\r\n`;
}
