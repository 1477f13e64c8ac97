/** A version 4 UUID from the injected randomness, so that a seeded server names everything alike. */
export function randomUid(random: () => number): string {
  const digit = (values: string): string => values.charAt(Math.floor(random() * values.length));
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (place) => digit(place === 'x' ? '0123456789abcdef' : '89ab'));
}

/** No vowels and nothing that looks like another: the real server's alphabet for generated names. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const maxNameLength = 63;
const suffixLength = 5;

export function randomName(prefix: string, random: () => number): string {
  let name = prefix.slice(0, maxNameLength - suffixLength);
  for (let index = 0; index < suffixLength; index += 1) name += alphabet.charAt(Math.floor(random() * alphabet.length));
  return name;
}
