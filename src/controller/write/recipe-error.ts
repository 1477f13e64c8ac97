import { RxInformersError } from '../../kubernetes/rx-informers-error.js';

/** What a recipe did that cannot be sent; see `RecipeError`. */
export type RecipeProblem =
  'threw' | 'asynchronous' | 'returned-a-value' | 'not-json' | 'read-only-field' | 'outside-of-subresource';

/** A recipe failed, or changed what it cannot change. Nothing was sent. */
export class RecipeError extends RxInformersError {
  static override readonly code = 'RXI_RECIPE';
  override readonly name = 'RecipeError';
  constructor(
    /** Of the object that was to be edited. */
    readonly key: string,
    /**
     * | problem | what the recipe did |
     * | --- | --- |
     * | `threw` | threw; `cause` is what |
     * | `asynchronous` | gave a promise back: what it does later comes too late |
     * | `returned-a-value` | gave something back, as reducers do |
     * | `not-json` | put something into the object that JSON cannot say |
     * | `read-only-field` | changed what identifies the object, or what only the server writes |
     * | `outside-of-subresource` | changed something besides `status` while it edits the status, which the server would ignore |
     */
    readonly problem: RecipeProblem,
    explanation: string,
    options?: ErrorOptions,
  ) {
    super(`the recipe for ${key} cannot be used: ${explanation}`, options);
  }
}
