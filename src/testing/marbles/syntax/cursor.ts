import { MarbleSyntaxError } from './marble-syntax-error.js';

const milliseconds = { ms: 1, s: 1000, m: 60_000 } as const;
const timeProgression = /^(\d+(?:\.\d+)?)(ms|s|m)(?= |$)/;

/** A place in a diagram, and the frame that it stands for: one character is one frame, a space is none. */
export class Cursor {
  readonly #characters: readonly string[];
  #index = 0;
  #frame = 0;

  constructor(readonly diagram: string) {
    this.#characters = Array.from(diagram);
  }

  /** Milliseconds of virtual time. */
  get frame(): number {
    return this.#frame;
  }

  /** Counted from 1. */
  get column(): number {
    return this.#index + 1;
  }

  /** The character here; `''` at the end. */
  get next(): string {
    return this.#characters[this.#index] ?? '';
  }

  get atEnd(): boolean {
    return this.#index >= this.#characters.length;
  }

  take(): string {
    const { next } = this;
    this.#index++;
    if (next !== ' ') this.#frame++;
    return next;
  }

  takeIf(character: string): boolean {
    if (this.next !== character) return false;
    this.take();
    return true;
  }

  skipSpaces(): void {
    while (this.next === ' ') this.take();
  }

  /** Moves on to the next token, over frames in which nothing happens. */
  skipTime(): void {
    while (this.next === ' ' || this.next === '-' || this.#atTimeProgression()) {
      if (this.next === ' ' || this.next === '-') this.take();
      else this.#takeTimeProgression();
    }
  }

  fail(problem: string, column: number = this.column): never {
    throw new MarbleSyntaxError(this.diagram, column, problem);
  }

  get #rest(): string {
    return this.#characters.slice(this.#index).join('');
  }

  /** As in rxjs, only after a space or at the beginning: `-5s -` is two values. */
  #atTimeProgression(): boolean {
    if (!/^\d$/.test(this.next)) return false;
    const before = this.#characters[this.#index - 1] ?? ' ';
    return before === ' ' && timeProgression.test(this.#rest);
  }

  #takeTimeProgression(): void {
    const [text = '', amount, unit] = timeProgression.exec(this.#rest) ?? [];
    this.#index += text.length;
    this.#frame += Number(amount) * milliseconds[unit as keyof typeof milliseconds];
  }
}
