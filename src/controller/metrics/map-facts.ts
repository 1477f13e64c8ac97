/** The same facts, each with what `project` makes of it. */
export function mapFacts<Fact extends string, From, To>(
  facts: Readonly<Record<Fact, From>>,
  project: (from: From, fact: Fact) => To,
): Readonly<Record<Fact, To>> {
  const result: Partial<Record<Fact, To>> = {};
  for (const fact in facts) result[fact] = project(facts[fact], fact);
  return result as Record<Fact, To>;
}
