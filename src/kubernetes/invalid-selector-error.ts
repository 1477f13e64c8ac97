/** A selector that the API server would refuse. */
export class InvalidSelectorError extends Error {
  override readonly name = 'InvalidSelectorError';
  constructor(
    readonly selector: string,
    /** Where, counted from 1; 0 where the selector is an object and not text. */
    readonly column: number,
    readonly problem: string,
  ) {
    super(`label selector ${JSON.stringify(selector)}${column > 0 ? `, column ${column}` : ''}: ${problem}`);
  }
}
