import { Immer } from 'immer';
import { messageOf } from '../../kubernetes/message-of.js';
import { TerminalError } from '../workqueue/terminal-error.js';
import type { Json } from './json-patch/json.js';
import { NotJsonError, toJson } from './json-patch/to-json.js';
import { RecipeError } from './recipe-error.js';

/** `T` with everything in it to be written: what a recipe changes. */
export type Editable<T> = T extends readonly (infer Item)[]
  ? Editable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Editable<T[Key]> }
    : T;

/** Changes a draft of an object as if it could be changed; it must do so at once, and give nothing back. */
export type Recipe<T> = (draft: Editable<T>) => void;

// One of its own, so that what the application tells immer to do with its state is not done to the cache.
const immer = /*#__PURE__*/ new Immer({ autoFreeze: false });

/**
 * What the recipe makes of an object; the object stays as it is, and what the recipe did not touch is shared with it.
 *
 * **Errors**: `RecipeError`; a `TerminalError` that the recipe throws, as it is, because a queue has to see it.
 */
export function cook(key: string, object: object, recipe: Recipe<object>): Json {
  const draft = immer.createDraft(object);
  const result = attempted(key, () => (recipe as (draft: unknown) => unknown)(draft));
  if (isThenable(result)) {
    // Nobody waits for it any more, so where it fails later, that must not be an unhandled rejection.
    if (result instanceof Promise) result.catch(() => undefined);
    throw new RecipeError(key, 'asynchronous', 'it is asynchronous; read first, and edit with what was read');
  }
  if (result !== undefined && result !== draft) {
    throw new RecipeError(
      key,
      'returned-a-value',
      'it gave something back; change the draft, and put braces around it',
    );
  }
  return jsonOf(key, immer.finishDraft(draft), object);
}

function attempted<R>(key: string, recipe: () => R): R {
  try {
    return recipe();
  } catch (error) {
    if (error instanceof TerminalError) throw error;
    throw new RecipeError(key, 'threw', `it threw: ${messageOf(error)}`, { cause: error });
  }
}

function jsonOf(key: string, value: unknown, original: unknown): Json {
  try {
    return toJson(value, original) as Json;
  } catch (error) {
    if (error instanceof NotJsonError) throw new RecipeError(key, 'not-json', error.message, { cause: error });
    throw error;
  }
}

function isThenable(value: unknown): boolean {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';
}
