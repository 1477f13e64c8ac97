/** The queries of mounted hooks over one collection, and how often their answers changed. */
interface Usage {
  /** The number of mounted hooks by query. */
  readonly questions: ReadonlyMap<string, number>;
  /** How many times a mounted hook has received a new answer. */
  readonly emissions: number;
}

class CountedUsage implements Usage {
  readonly questions = new Map<string, number>();
  emissions = 0;

  /** Counts a hook, until the returned function is called. */
  hold(question: string): () => void {
    this.questions.set(question, (this.questions.get(question) ?? 0) + 1);
    return () => {
      const left = (this.questions.get(question) ?? 0) - 1;
      if (left > 0) this.questions.set(question, left);
      else this.questions.delete(question);
    };
  }
}

const usages = new WeakMap<object, CountedUsage>();

/** The counters of hooks of a collection, updated in place: an emission is one addition. */
export function usageOf(collection: object): CountedUsage {
  const usage = usages.get(collection) ?? new CountedUsage();
  usages.set(collection, usage);
  return usage;
}
