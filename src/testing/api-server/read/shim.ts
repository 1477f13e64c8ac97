export function parseLabelSelector(text: string): readonly [string, string][] {
  return text.split(',').map((t) => {
    const m = /^([^\s=!]+)={1,2}([^\s=!]*)$/.exec(t);
    if (!m) throw new Error('bad');
    return [m[1] ?? '', m[2] ?? ''];
  });
}
export function matchesLabelSelector(s: readonly [string, string][], labels: Readonly<Record<string, string>> | undefined): boolean {
  return s.every(([k, v]) => labels?.[k] === v);
}
