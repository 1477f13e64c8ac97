import type { Answer, Cause } from './two-servers.js';

export type Kind = 'create' | 'update';

interface Counts {
  objects: number;
  refused: number;
  same: number;
  sameWords: number;
}

/** Counts equal answers by keyword. */
export class Table {
  readonly differences: string[] = [];
  readonly #rows = new Map<string, Counts>();
  readonly #kinds: Record<Kind, Counts> = { create: none(), update: none() };
  #refusedByRules = 0;

  /** @param rules the messages of the rules in CEL, whose refusals are only counted */
  add(
    kind: Kind,
    keyword: string,
    answers: { readonly real: Answer; readonly embedded: Answer },
    request: object,
    rules: ReadonlySet<string>,
  ): void {
    const { real, embedded } = answers;
    const ofRules = causesOf(real).filter((cause) => isOfRule(cause, rules));
    const causes = causesOf(real).filter((cause) => !isOfRule(cause, rules));
    if (ofRules.length > 0 && causes.length === 0) {
      this.#refusedByRules += 1;
      if (embedded.status < 300) return;
    }
    const isSame =
      ofRules.length === 0 ? real.status === embedded.status && contentOf(real) === contentOf(embedded) : true;
    const hasSameCauses = places(causes) === places(causesOf(embedded));
    const isRefusal = real.status >= 400 && causesOf(real).length === 0;
    const hasSameMessage = !isRefusal || real.body.message === embedded.body.message;
    const hasSameWords = hasSameMessage && words(causes) === words(causesOf(embedded));
    for (const counts of [this.#row(keyword), this.#kinds[kind]]) {
      counts.objects += 1;
      if (real.status >= 400) counts.refused += 1;
      if (isSame && hasSameCauses) counts.same += 1;
      if (isSame && hasSameCauses && hasSameWords) counts.sameWords += 1;
    }
    if (isSame && hasSameCauses && hasSameWords) return;
    this.differences.push(
      JSON.stringify({ kind, keyword, request, real: shortened(real), embedded: shortened(embedded) }),
    );
  }

  print(): void {
    const shown = ({ objects, refused, same, sameWords }: Counts): object => ({
      objects,
      refused,
      'same answer': percent(same, objects),
      'same words': percent(sameWords, objects),
    });
    console.table(
      Object.fromEntries(
        [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, counts]) => [name, shown(counts)]),
      ),
    );
    for (const kind of ['create', 'update'] as const) console.log(`${kind}s`, JSON.stringify(shown(this.#kinds[kind])));
    console.log(`${this.#refusedByRules} refused by rules in CEL alone`);
  }

  /** True if creates and updates are equal as often as they must be. */
  isGood(isCel: boolean): boolean {
    const { create, update } = this.#kinds;
    const enough = isCel || [...this.#rows.values()].every(({ objects }) => objects > 0);
    return (
      enough &&
      create.same >= 0.995 * create.objects &&
      create.sameWords >= 0.95 * create.objects &&
      update.same >= 0.98 * update.objects
    );
  }

  #row(keyword: string): Counts {
    const known = this.#rows.get(keyword) ?? none();
    this.#rows.set(keyword, known);
    return known;
  }
}

function none(): Counts {
  return { objects: 0, refused: 0, same: 0, sameWords: 0 };
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(2)} %`;
}

function causesOf({ body }: Answer): readonly Cause[] {
  return body.details?.causes ?? [];
}

function isOfRule({ message }: Cause, rules: ReadonlySet<string>): boolean {
  return message.includes('failed rule:') || [...rules].some((rule) => message.includes(rule));
}

function places(causes: readonly Cause[]): string {
  return JSON.stringify(causes.map(({ reason, field }) => `${reason} ${field}`).sort());
}

function words(causes: readonly Cause[]): string {
  return JSON.stringify(causes.map(({ reason, field, message }) => `${reason} ${field} ${message}`).sort());
}

/** Returns what was stored, without what differs from server to server. */
function contentOf({ status, body }: Answer): string {
  if (status >= 400) return '';
  const { metadata: _metadata, ...content } = body;
  return JSON.stringify(content, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

function shortened(answer: Answer): object {
  const causes = causesOf(answer).map(({ reason, field, message }) => `${reason} ${field}: ${message.slice(0, 300)}`);
  return {
    status: answer.status,
    ...(causes.length > 0
      ? { causes: causes.sort() }
      : { content: answer.status < 300 ? contentOf(answer) : answer.body.message }),
  };
}
