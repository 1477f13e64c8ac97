interface Named {
  readonly kind?: unknown;
  readonly metadata?: { readonly name?: unknown; readonly namespace?: unknown };
}

/**
 * Returns a value as text for the log. Kubernetes objects are shown by kind and key, other values
 * to a small depth.
 */
export function format(value: unknown, depth = 2): string {
  if (typeof value === 'string') return depth === 2 ? value : JSON.stringify(value);
  if (typeof value === 'function') return `${value.name || 'anonymous'}()`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Date) return value.toISOString();
  const name = changeName(value) ?? objectName(value);
  if (name !== undefined) return name;
  if (Array.isArray(value))
    return list(
      `[`,
      value.map((item) => format(item, depth - 1)),
      ']',
      value.length,
      depth,
    );
  if (value instanceof Map) {
    const items = Array.from(value, ([key, item]) => `${format(key, depth - 1)} → ${format(item, depth - 1)}`);
    return list(`Map(${value.size}) {`, items, '}', value.size, depth);
  }
  if (value instanceof Set)
    return list(
      `Set(${value.size}) {`,
      Array.from(value, (item) => format(item, depth - 1)),
      '}',
      value.size,
      depth,
    );
  const entries = Object.entries(value);
  const fields = entries.map(([field, item]) => `${field}: ${depth > 0 ? format(item, depth - 1) : '…'}`);
  const type = Object.getPrototypeOf(value) === Object.prototype ? '' : `${value.constructor?.name ?? ''} `;
  return list(`${type}{ `, fields, ' }', entries.length, depth);
}

/**
 * Returns a few letters for the marble of a value: a number, or how many items or changes the value
 * has. Returns an empty string for other values.
 */
export function short(value: unknown): string {
  if (Array.isArray(value)) return String(value.length);
  if (value instanceof Map || value instanceof Set) return String(value.size);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value).slice(0, 4);
  const changes: unknown = (value as { readonly changes?: unknown } | undefined)?.changes;
  return Array.isArray(changes) ? `±${changes.length}` : '';
}

/**
 * Returns the name of a change, for example `updated web/a`. The objects of the change are left
 * out.
 */
function changeName({ type, key }: { readonly type?: unknown; readonly key?: unknown }): string | undefined {
  return typeof type === 'string' && typeof key === 'string' ? `${type} ${key}` : undefined;
}

/** Returns the name of a Kubernetes object, for example `Pod web/a`. */
function objectName(value: Named): string | undefined {
  const { kind, metadata } = value;
  if (typeof metadata?.name !== 'string') return undefined;
  const key = typeof metadata.namespace === 'string' ? `${metadata.namespace}/${metadata.name}` : metadata.name;
  return typeof kind === 'string' ? `${kind} ${key}` : key;
}

function list(open: string, items: readonly string[], close: string, count: number, depth: number): string {
  if (depth < 0 && count > 0) return `${open}…${close}`;
  const most = depth === 2 ? 8 : 4;
  const shown = items.slice(0, most).join(', ');
  return `${open}${shown}${count > most ? `, … ${count - most} more` : ''}${close}`;
}
