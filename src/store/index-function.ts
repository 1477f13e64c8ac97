/**
 * Gives the index values of an object: one string, any number of strings, or none (`undefined`, `[]`).
 *
 * It must be pure: the same object, the same values. One that throws, or gives something that is not a string or an
 * array of strings, is reported as an `IndexFunctionError`; the object stays in the store and in the other indexes.
 */
export type IndexFunction<T> = (object: T) => string | readonly string[] | undefined;

/**
 * Index functions by name, client-go's `Indexers`.
 *
 * The names `I` are inferred where they are written, and checked where they are used. A call with one explicit type argument
 * (`informer<Pod>(…)`) cannot infer them, so with `I = never` there can be no function in it.
 */
export type Indexers<T, I extends string = string> = Readonly<Record<I, IndexFunction<T>>> &
  Readonly<
    Record<
      [I] extends [never] ? string : never,
      'index names are inferred only without type arguments: leave <T> out, or write <T, Names>'
    >
  >;
