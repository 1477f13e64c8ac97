/** The fields of a protobuf message, by number. Each field is a text or a message. */
export interface Fields {
  has(field: number): boolean;
  text(field: number): string;
  texts(field: number): readonly string[];
  message(field: number): Fields;
  messages(field: number): readonly Fields[];
}

/**
 * Decodes a message in which all fields are length-delimited:
 * https://protobuf.dev/programming-guides/encoding/
 */
export function decodeFields(bytes: Uint8Array): Fields {
  const fields = new Map<number, Uint8Array[]>();
  let position = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[position++];
      if (byte === undefined) throw new Error('the message ends in a number');
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (position < bytes.length) {
    const tag = varint();
    if ((tag & 7) !== 2) throw new Error(`field ${tag >> 3} has wire type ${tag & 7}`);
    const length = varint();
    if (position + length > bytes.length) throw new Error(`field ${tag >> 3} is cut off`);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), bytes.subarray(position, position + length)]);
    position += length;
  }
  const all = (field: number): readonly Uint8Array[] => fields.get(field) ?? [];
  const only = (field: number): Uint8Array => {
    const [value, ...more] = all(field);
    if (value === undefined || more.length > 0) throw new Error(`field ${field} is there ${all(field).length} times`);
    return value;
  };
  const text = (value: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(value);
  return {
    has: (field) => fields.has(field),
    text: (field) => text(only(field)),
    texts: (field) => all(field).map(text),
    message: (field) => decodeFields(only(field)),
    messages: (field) => all(field).map(decodeFields),
  };
}
