/** A label selector that the API server would refuse. */
export class InvalidSelectorError extends Error {
  override readonly name = 'InvalidSelectorError';
  constructor(
    readonly selector: unknown,
    readonly problem: string,
    /** Where in the text the problem is, from 1; `undefined` where the selector is an object. */
    readonly column?: number,
  ) {
    super(
      `invalid label selector ${JSON.stringify(selector)}: ${column === undefined ? '' : `column ${column}: `}${problem}`,
    );
  }
}
