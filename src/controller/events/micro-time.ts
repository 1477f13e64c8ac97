/** Milliseconds since 1970 as a `MicroTime`, which has to have six digits after the point. */
export function microTime(at: number): string {
  return new Date(at).toISOString().replace('Z', '000Z');
}
