/** RFC 3339 with a fraction of a second of any length, as Kubernetes writes `MicroTime`; any offset is read. */
const microTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Milliseconds since 1970 in the form of Kubernetes' `MicroTime`: UTC, six digits after the second. */
export function formatMicroTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000Z');
}

/** Milliseconds since 1970 of a Kubernetes `MicroTime`, rounded down; undefined for anything else. */
export function parseMicroTime(text: string): number | undefined {
  if (!microTime.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}
